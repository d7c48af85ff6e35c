/** Traces inbound mail through the templates: receipt rule, bucket, topic, queue. Any missing link is an error. */
import { inboundMail } from '../../../functions/triggers.ts';
import type { InboundMail } from '../../../shared/runtime/workers/trigger.ts';
import { AssemblyError, type Json, type Resource } from './cloud-assembly.ts';
import { nameOf } from './counterparts.ts';
import type { Links } from './links.ts';
import { type Permission, permissionsOfResource } from './policies.ts';
import type { Consuming } from './wiring.ts';

/**
 * Returns the rows of `inboundMail` with the prefixes and queues of the templates. @throws AssemblyError that names the
 * missing link.
 */
export function readInboundMail(
  links: Links,
  consumers: readonly Consuming[],
  settings: Readonly<Record<string, string>>,
  bucket: string,
): InboundMail[] {
  const { arns } = links.assembly;
  return Object.values<InboundMail>(inboundMail).map((row) => {
    const domain = settings[row.domainKey];
    const gap = (reason: string) => new AssemblyError(`cannot deliver mail to ${domain}: ${reason}`);
    const rule = links.assembly
      .all('AWS::SES::ReceiptRule')
      .find(({ properties }) => properties.Rule.Recipients?.includes(domain));
    const action = rule?.properties.Rule.Actions?.[0]?.S3Action;
    if (rule === undefined || action === undefined) throw gap('no receipt rule stores it');
    if (links.identify(action.BucketName, rule.stack) !== bucket) throw gap('no function reads the bucket');
    const topic = links.identify(action.TopicArn, rule.stack);
    const queue = queueOf(topic, links);
    const consumer = consumers.find((one) => one.queue === queue);
    if (consumer === undefined) throw gap('no queue with a consumer receives raw messages from the topic');
    const prefix: string = action.ObjectKeyPrefix ?? '';
    const bySes = contextOf(rule, links);
    const steps: readonly Step[] = [
      {
        service: 'ses.amazonaws.com',
        policies: 'AWS::S3::BucketPolicy',
        permission: {
          action: 's3:PutObject',
          resource: `${arns.bucket(bucket)}/${prefix}message`,
          context: bySes,
        },
      },
      {
        service: 'ses.amazonaws.com',
        policies: 'AWS::SNS::TopicPolicy',
        permission: { action: 'sns:Publish', resource: topic, context: bySes },
      },
      {
        service: 'sns.amazonaws.com',
        policies: 'AWS::SQS::QueuePolicy',
        permission: {
          action: 'sqs:SendMessage',
          resource: arns.queue(nameOf(consumer.queue)),
          context: { 'aws:SourceArn': [topic] },
        },
      },
    ];
    const denied = steps.find((step) => !isAllowed(step, links));
    if (denied !== undefined)
      throw gap(`${denied.service} may not ${denied.permission.action} on ${denied.permission.resource}`);
    return { ...row, prefix, queue: consumer.name };
  });
}

/** One action of an AWS service on the route, and the type of the resource policies that must allow it. */
interface Step {
  readonly service: string;
  readonly policies: string;
  readonly permission: Permission;
}

function isAllowed({ service, policies, permission }: Step, { assembly, identify }: Links): boolean {
  const statements = assembly
    .all(policies)
    .flatMap(({ stack, properties }): Json[] => identify(properties.PolicyDocument, stack).Statement);
  return permissionsOfResource(service, statements)(permission);
}

/** The condition keys that SES sends when a receipt rule acts. */
function contextOf(rule: Resource, { assembly, identify }: Links) {
  const { arns, place } = assembly;
  const set = identify(rule.properties.RuleSetName, rule.stack);
  return {
    'aws:SourceAccount': [place.account],
    'aws:Referer': [place.account],
    'aws:SourceArn': [arns.arn('ses', `receipt-rule-set/${set}:receipt-rule/${nameOf(rule)}`)],
  };
}

/** Returns the queue that receives the topic's messages unchanged (raw message delivery). */
function queueOf(topic: string, { assembly, identify, queueAt }: Links): Resource | undefined {
  const subscription = assembly
    .all('AWS::SNS::Subscription')
    .find(({ stack, properties }) => identify(properties.TopicArn, stack) === topic);
  const { Protocol, RawMessageDelivery, Endpoint } = subscription?.properties ?? {};
  if (subscription === undefined || Protocol !== 'sqs' || RawMessageDelivery !== true) return undefined;
  return queueAt(Endpoint, subscription.stack);
}
