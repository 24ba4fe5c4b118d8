"""The rules by type, one module for each group of services.

Each is stated by the page of the property in the reference of templates of CloudFormation, or by that of the call that
creates the thing. Lists that AWS extends from time to time, such as classes, versions and engines, are no rules.
"""
