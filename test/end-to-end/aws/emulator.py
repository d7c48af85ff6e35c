"""Starts MiniStack with the parts of AWS that this service uses and MiniStack lacks.

Each addition follows the reference of CloudFormation, SES or IAM, and none makes a policy more permissive than on AWS.
"""

import dataclasses
import os
from datetime import datetime, timezone

from ministack.core import iam_evaluator
from ministack.services import s3, ses
from ministack.services.cloudformation import provisioners

resources = provisioners._RESOURCE_HANDLERS


def create_rule_set(logical_id, properties, stack):
    name = properties.get("RuleSetName", f"{stack}-{logical_id}")[:64]
    created = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    ses._receipt_rule_sets[name] = {
        "Metadata": {"Name": name, "CreatedTimestamp": created},
        "Rules": [],
    }
    return name, {}


def create_rule(logical_id, properties, stack):
    rule = properties["Rule"]
    rules = ses._receipt_rule_sets[properties["RuleSetName"]]["Rules"]
    names = [other["Name"] for other in rules]
    # Without "After", SES makes a rule the first one.
    rules.insert(names.index(properties["After"]) + 1 if "After" in properties else 0, rule)
    return rule["Name"], {}


def delete_nothing(physical_id, properties):
    """The emulator ends with the test."""


create_identity = resources["AWS::SES::EmailIdentity"]["create"]


def create_identity_with_keys(logical_id, properties, stack):
    name, attributes = create_identity(logical_id, properties, stack)
    for number in (1, 2, 3):
        attributes[f"DkimDNSTokenName{number}"] = f"key{number}._domainkey.{name}"
        attributes[f"DkimDNSTokenValue{number}"] = f"key{number}.dkim.amazonses.com"
    return name, attributes


create_bucket = resources["AWS::S3::Bucket"]["create"]


def create_bucket_with_tags(logical_id, properties, stack):
    name, attributes = create_bucket(logical_id, properties, stack)
    # The function that empties a bucket looks for the tag that allows it.
    s3._bucket_tags[name] = {tag["Key"]: tag["Value"] for tag in properties.get("Tags", [])}
    return name, attributes


create_alarm = resources["AWS::CloudWatch::Alarm"]["create"]
update_alarm = resources["AWS::CloudWatch::Alarm"]["update"]


def create_any_alarm(logical_id, properties, stack):
    # MiniStack rejects alarms on metric math. These exist here by name only.
    if not properties.get("Metrics"):
        return create_alarm(logical_id, properties, stack)
    name = properties["AlarmName"]
    return name, {"Arn": f"arn:aws:cloudwatch:eu-west-1:000000000000:alarm:{name}"}


def update_any_alarm(name, before, properties, stack, logical_id=None):
    if not properties.get("Metrics"):
        return update_alarm(name, before, properties, stack, logical_id)
    return create_any_alarm(logical_id, properties, stack)


update_table = resources["AWS::DynamoDB::GlobalTable"]["update"]


def update_table_in_place(name, before, properties, stack):
    # MiniStack takes a table whose name CloudFormation chose for a renamed one, and makes an empty table.
    named = {"TableName": name}
    return update_table(name, {**before, **named}, {**properties, **named}, stack)


def create_saved_query(logical_id, properties, stack):
    return properties["Name"], {}


resources["AWS::Logs::QueryDefinition"] = {"create": create_saved_query, "delete": delete_nothing}
resources["AWS::SES::ReceiptRuleSet"] = {"create": create_rule_set, "delete": delete_nothing}
resources["AWS::SES::ReceiptRule"] = {"create": create_rule, "delete": delete_nothing}
resources["AWS::S3::Bucket"]["create"] = create_bucket_with_tags
resources["AWS::SES::EmailIdentity"]["create"] = create_identity_with_keys
resources["AWS::CloudWatch::Alarm"]["create"] = create_any_alarm
resources["AWS::CloudWatch::Alarm"]["update"] = update_any_alarm
resources["AWS::DynamoDB::GlobalTable"]["update"] = update_table_in_place

# Policies require TLS, which the emulator does not offer on loopback.
pin_request_origin = iam_evaluator.pin_request_origin
iam_evaluator.pin_request_origin = lambda address, _tls: pin_request_origin(address, True)

evaluate = iam_evaluator.evaluate


def evaluate_like_aws(context, *policies):
    changes = {}
    # A batch needs the permission of the single call ("Actions defined by Amazon SQS").
    if context.action.startswith("sqs:") and context.action.endswith("Batch"):
        changes["action"] = context.action.removesuffix("Batch")
    # SES supplies the sender as a condition key and as a resource; MiniStack does not.
    if context.action == "ses:SendEmail":
        sender = os.environ["ALERT_SENDER"]
        domain = sender.partition("@")[2]
        changes["service_context"] = {**context.service_context, "ses:fromaddress": sender}
        changes["resource_arn"] = f"arn:aws:ses:eu-west-1:000000000000:identity/{domain}"
    return evaluate(dataclasses.replace(context, **changes), *policies)


iam_evaluator.evaluate = evaluate_like_aws

# Imports these modules' functions by name, so it comes after the changes.
from ministack.app import main  # noqa: E402

main()
