import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';

/** A topic that alarms publish to, and its subscription by mail, if any. */
export function makeTopic(scope: Construct, id: string, address: string | undefined): Topic {
  const topic = new Topic(scope, id, { enforceSSL: true });
  // A topic with its own policy allows only the principals in that policy.
  topic.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sns:Publish'],
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }),
  );
  if (address !== undefined) topic.addSubscription(new EmailSubscription(address));
  return topic;
}
