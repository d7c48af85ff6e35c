/** The way of received mail through the templates: receipt rule, bucket, topic, queue. A gap in it is refused. */
import { inboundMail } from '../../../functions/triggers.ts';
import type { InboundMail } from '../../../shared/runtime/trigger.ts';
import { AssemblyError, type Json, type Resource } from './cloud-assembly.ts';
import { nameOf } from './counterparts.ts';
import type { Links } from './links.ts';
import { type Need, permissionsOfResource } from './policies.ts';
import type { Consuming } from './wiring.ts';

/** Mail as the rows say, with prefixes and queues of the templates. @throws AssemblyError naming where the way ends. */
export function readInboundMail(
  links: Links,
  consumers: readonly Consuming[],
  settings: Readonly<Record<string, string>>,
  bucket: string,
): InboundMail[] {
  const { arns } = links.assembly;
  return Object.values<InboundMail>(inboundMail).map((row) => {
    const domain = settings[row.domainKey];
    const gap = (where: string) => new AssemblyError(`mail to ${domain} ends at ${where}`);
    const rule = links.assembly
      .all('AWS::SES::ReceiptRule')
      .find(({ properties }) => properties.Rule.Recipients?.includes(domain));
    const action = rule?.properties.Rule.Actions?.[0]?.S3Action;
    if (rule === undefined || action === undefined) throw gap('a receipt rule that stores it');
    if (links.identify(action.BucketName, rule.stack) !== bucket)
      throw gap('a bucket that no function reads');
    const topic = links.identify(action.TopicArn, rule.stack);
    const queue = queueOf(topic, links);
    const consumer = consumers.find((one) => one.queue === queue);
    if (consumer === undefined) throw gap("a topic that no consumer's queue hears, message by message");
    const prefix: string = action.ObjectKeyPrefix ?? '';
    const bySes = contextOf(rule, links);
    const steps: readonly Step[] = [
      {
        service: 'ses.amazonaws.com',
        policies: 'AWS::S3::BucketPolicy',
        need: { action: 's3:PutObject', resource: `${arns.bucket(bucket)}/${prefix}message`, context: bySes },
      },
      {
        service: 'ses.amazonaws.com',
        policies: 'AWS::SNS::TopicPolicy',
        need: { action: 'sns:Publish', resource: topic, context: bySes },
      },
      {
        service: 'sns.amazonaws.com',
        policies: 'AWS::SQS::QueuePolicy',
        need: {
          action: 'sqs:SendMessage',
          resource: arns.queue(nameOf(consumer.queue)),
          context: { 'aws:SourceArn': [topic] },
        },
      },
    ];
    const denied = steps.find((step) => !isAllowed(step, links));
    if (denied !== undefined)
      throw gap(`${denied.need.resource}: ${denied.service} may not ${denied.need.action}`);
    return { ...row, prefix, queue: consumer.name };
  });
}

/** What a service of AWS does on the way, and the type of the policies that must let it. */
interface Step {
  readonly service: string;
  readonly policies: string;
  readonly need: Need;
}

function isAllowed({ service, policies, need }: Step, { assembly, identify }: Links): boolean {
  const statements = assembly
    .all(policies)
    .flatMap(({ stack, properties }): Json[] => identify(properties.PolicyDocument, stack).Statement);
  return permissionsOfResource(service, statements)(need);
}

/** What SES says of itself when a rule acts. */
function contextOf(rule: Resource, { assembly, identify }: Links) {
  const { arns, place } = assembly;
  const set = identify(rule.properties.RuleSetName, rule.stack);
  return {
    'aws:SourceAccount': [place.account],
    'aws:Referer': [place.account],
    'aws:SourceArn': [arns.arn('ses', `receipt-rule-set/${set}:receipt-rule/${nameOf(rule)}`)],
  };
}

/** The queue that gets a topic's messages as they are. */
function queueOf(topic: string, { assembly, identify, queueAt }: Links): Resource | undefined {
  const subscription = assembly
    .all('AWS::SNS::Subscription')
    .find(({ stack, properties }) => identify(properties.TopicArn, stack) === topic);
  const { Protocol, RawMessageDelivery, Endpoint } = subscription?.properties ?? {};
  if (subscription === undefined || Protocol !== 'sqs' || RawMessageDelivery !== true) return undefined;
  return queueAt(Endpoint, subscription.stack);
}
