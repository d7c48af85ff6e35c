import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { EmailIdentity, Identity, type IReceiptRuleSet, TlsPolicy } from 'aws-cdk-lib/aws-ses';
import { S3 } from 'aws-cdk-lib/aws-ses-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { InboundMail } from '../../shared/runtime/trigger.ts';
import { makeQueue, type WorkQueue } from './queues.ts';

interface Receiving {
  readonly mail: InboundMail;
  /** Whose addresses these are; SES's form for all of them, and for none of a subdomain. */
  readonly domain: string;
  readonly ruleSet: IReceiptRuleSet;
  readonly ruleName: string;
  readonly bucket: IBucket;
}

/** The way of one kind of mail, from the rule that takes it to the queue that its parser works on. */
export class MailReceiver extends Construct {
  readonly mail: InboundMail;
  readonly domain: string;
  readonly queue: WorkQueue;
  /** SES receives only for domains that are proven, by the DKIM records of the identity. */
  readonly identity: EmailIdentity;

  constructor(scope: Construct, id: string, { mail, domain, ruleSet, ruleName, bucket }: Receiving) {
    super(scope, id);
    this.mail = mail;
    this.domain = domain;
    this.identity = new EmailIdentity(this, 'Identity', { identity: Identity.domain(domain) });
    this.queue = makeQueue(scope, mail.queue);
    const topic = new Topic(this, 'Arrivals', { enforceSSL: true });
    // A topic with a policy of its own lets in only whom that names.
    topic.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('ses.amazonaws.com')],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    // Raw: a message is what SES tells, as on the local host, and not an envelope of SNS around it.
    topic.addSubscription(
      new SqsSubscription(this.queue.queue, {
        rawMessageDelivery: true,
        deadLetterQueue: this.queue.deadLetters,
      }),
    );
    const rule = ruleSet.addRule(id, {
      receiptRuleName: ruleName,
      recipients: [domain],
      // Reporters need not be strict about TLS (RFC 8460 section 5.3.1), and the tester shows what a sender does.
      tlsPolicy: TlsPolicy.OPTIONAL,
      scanEnabled: true,
      actions: [new S3({ bucket, objectKeyPrefix: mail.prefix, topic })],
    });
    // SES tries both when the rule is made, so their policies must be there.
    rule.node.addDependency(topic, this.queue.queue);
  }
}
