import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { allowService } from './allow-service.ts';

/** A topic that alarms publish to, and its subscription by mail, if any. */
export function makeTopic(scope: Construct, id: string, address: string | undefined): Topic {
  const topic = new Topic(scope, id, { enforceSSL: true });
  // A topic with its own policy allows only the principals in that policy.
  topic.addToResourcePolicy(allowService('cloudwatch', 'sns:Publish', topic.topicArn));
  if (address !== undefined) topic.addSubscription(new EmailSubscription(address));
  return topic;
}
