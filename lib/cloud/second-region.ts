/** The names of what a second region has, by which the stacks of the first one refer to it. */
import { createHash } from 'node:crypto';
import type { Stack } from 'aws-cdk-lib';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';

/** Where mail waits in the second region. */
export interface SecondMail {
  readonly region: string;
  readonly bucket: string;
  /** The name of the topic that announces mail of a kind. */
  readonly topic: (kind: string) => string;
  /** The name of the queue of announcements that the first region refused. */
  readonly refused: string;
}

/** Undefined without a second region. */
export function secondMailOf(settings: Settings): SecondMail | undefined {
  const { account = '', secondMailRegion: region } = settings;
  if (region === undefined) return undefined;
  // The names of buckets are those of the whole world, and at most 63 characters long.
  const unique = createHash('sha256').update(`${account} ${region}`).digest('hex').slice(0, 12);
  return {
    region,
    bucket: `${stackName(settings, 'mail')}-${unique}`,
    topic: (kind) => stackName(settings, `arrivals-${kind}`),
    refused: stackName(settings, 'arrivals-refused'),
  };
}

/** The topic of the second region for mail of a kind, and the queue of announcements that are refused. */
export function arrivalsIn(
  scope: Stack,
  second: SecondMail,
  kind: string,
): { topic: ITopic; refused: IQueue } {
  const arn = (service: string, resource: string) =>
    scope.formatArn({ service, region: second.region, resource });
  return {
    topic: Topic.fromTopicArn(scope, `Second ${kind}`, arn('sns', second.topic(kind))),
    refused: Queue.fromQueueArn(scope, `Refused ${kind}`, arn('sqs', second.refused)),
  };
}
