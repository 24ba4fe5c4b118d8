"""Names of buckets, as far as the schema does not say it.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
"""

from tenuto.compositions.cloudformation.property_rules.forms import all_of, fits

bucket_name = all_of(
    fits(".{3,}", "have at least 3 characters"),
    fits(r"(?!.*\.\.).*", "not have two dots side by side"),
    fits(r"(?!\d+\.\d+\.\d+\.\d+$).*", "not look like an IP address"),
    fits("(?!xn--|sthree-).*", "not begin with xn-- or sthree-"),
    fits(
        r"(?!.*(-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$).*",
        "not end with -s3alias, --ol-s3, .mrap, --x-s3 or --table-s3",
    ),
)
