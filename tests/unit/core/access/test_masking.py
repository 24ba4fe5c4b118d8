from tenuto.core.access.masking import Masker, secret_texts


def test_a_value_that_aws_repeats_is_masked_and_the_rest_of_the_message_stays() -> None:
    masked = Masker(["Zq9SuperSecret"]).mask("Value (Zq9SuperSecret) for parameter cidrBlock is invalid")
    assert masked == "Value (****) for parameter cidrBlock is invalid"


def test_a_short_value_is_masked_as_a_word_only() -> None:
    masker = Masker(["on"])
    assert masker.mask("the connection is (on)") == "the connection is (****)"


def test_values_that_overlap_become_one_mask() -> None:
    assert Masker(["abcd", "bcdefgh"]).mask("<abcdefgh>") == "<****>"


def test_the_longer_of_two_values_leaves_no_rest() -> None:
    assert Masker(["open", "open-sesame"]).mask("open-sesame!") == "****!"


def test_a_line_of_a_key_is_masked() -> None:
    key = "-----BEGIN KEY-----\nMIIEowIBAAKCAQ\nEAx1\n-----END KEY-----\n"
    assert Masker([key]).mask("line 'MIIEowIBAAKCAQ' is malformed") == "line '****' is malformed"


def test_five_characters_at_the_end_are_no_beginning() -> None:
    assert Masker(["secret-of-a-user"]).mask("this is secre") == "this is secre"


def test_nothing_is_masked_without_secrets() -> None:
    assert Masker().mask("cut …") == "cut …"
    assert Masker(["", "****", "  "]).mask("  ****") == "  ****"


def test_a_part_of_a_secret_counts_as_a_secret() -> None:
    part = {"Fn::Select": [1, {"Fn::Split": [":", {"Ref": "Login"}]}]}
    assert secret_texts({"Password": part}, {"Login": "ann:hunter2"}) == ("ann:hunter2", "hunter2")


def test_a_text_around_a_secret_is_no_secret() -> None:
    joined = {"Fn::Join": ["", ["login ", {"Ref": "Login"}, " now"]]}
    assert secret_texts({"A": joined, "B": [joined]}, {"Login": "hunter2!"}) == ("hunter2!",)


def test_what_the_provider_shows_of_a_property_with_a_secret_counts_as_a_secret() -> None:
    desired = {"Label": {"Ref": "Login"}, "Size": "small"}
    assert secret_texts(desired, {"Login": "new-one"}, {"Label": "old-one", "Size": "large"}) == ("new-one", "old-one")
