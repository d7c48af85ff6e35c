import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { EmailIdentity, Identity, type IReceiptRuleSet, TlsPolicy } from 'aws-cdk-lib/aws-ses';
import { S3 } from 'aws-cdk-lib/aws-ses-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription, type SqsSubscriptionProps } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { inboundMail } from '../../functions/triggers.ts';
import type { InboundMail } from '../../shared/runtime/workers/trigger.ts';
import { allowService } from './allow-service.ts';
import type { FormerDomain } from './former-domains.ts';
import type { WorkQueue } from './queues.ts';
import type { Settings } from './settings.ts';

interface Receiving {
  readonly mail: InboundMail;
  /** The present domain of the addresses; in SES rules, a domain matches all its addresses, but no subdomains. */
  readonly domain: string;
  /** The domains before it, oldest first. */
  readonly former: readonly FormerDomain[];
  readonly ruleSet: IReceiptRuleSet;
  readonly ruleName: string;
  readonly bucket: IBucket;
  /** The queue of `mail.queue`, if it subscribes here. */
  readonly arrivals?: WorkQueue;
  /** The name of the topic that announces mail, if others need to know it. */
  readonly topicName?: string;
  /** Encrypts the topic, if there is one. */
  readonly key?: IKey | undefined;
}

/** The path of one kind of mail: from the receipt rule to the queue of arrivals. */
export class MailReceiver extends Construct {
  /** SES receives mail only for domains that are verified with the DKIM records of their identity. The present one is first. */
  readonly identities: readonly { readonly domain: string; readonly identity: EmailIdentity }[];

  constructor(
    scope: Construct,
    id: string,
    { mail, domain, former, ruleSet, ruleName, bucket, arrivals, topicName, key }: Receiving,
  ) {
    super(scope, id);
    const all = [...former, { name: domain, isAccepted: true }];
    const made = all.flatMap(({ name, isAccepted }, at) => {
      // The first domain ever has the ID from before there were several, so that it keeps its identity.
      const place = at === 0 ? 'Identity' : `Identity ${name}`;
      const identity = isAccepted && new EmailIdentity(this, place, { identity: Identity.domain(name) });
      return identity ? [{ domain: name, identity }] : [];
    });
    this.identities = made.toReversed();
    const topic = new Topic(this, 'Arrivals', {
      enforceSSL: true,
      ...(topicName && { topicName }),
      ...(key && { masterKey: key }),
    });
    // A topic with its own policy allows only the principals in that policy.
    topic.addToResourcePolicy(allowService('ses', 'sns:Publish', topic.topicArn));
    if (arrivals)
      topic.addSubscription(announcing(arrivals.queue, { deadLetterQueue: arrivals.deadLetters }));
    const rule = ruleSet.addRule(id, {
      receiptRuleName: ruleName,
      recipients: this.identities.map((one) => one.domain),
      // Reporters are not required to validate TLS (RFC 8460 section 5.3.1), and the tester shows what a sender does.
      tlsPolicy: TlsPolicy.OPTIONAL,
      scanEnabled: true,
      actions: [new S3({ bucket, objectKeyPrefix: mail.prefix, topic })],
    });
    // SES tests the topic and the bucket when the rule is created, so their policies must exist before.
    rule.node.addDependency(topic, ...(arrivals ? [arrivals.queue] : []));
  }
}

/** The receivers of all kinds of mail, with what `partsOf` says of each kind. */
export function makeReceivers(
  scope: Construct,
  settings: Settings,
  partsOf: (kind: string, mail: MailRow) => Omit<Receiving, 'mail' | 'domain' | 'former'>,
): MailReceiver[] {
  const former = {
    FORMER_REPORTS_DOMAINS: settings.formerReportsDomains,
    FORMER_TESTER_DOMAINS: settings.formerTesterDomains,
  };
  return Object.entries<MailRow>(inboundMail).map(
    ([kind, mail]) =>
      new MailReceiver(scope, kind, {
        ...partsOf(kind, mail),
        mail,
        domain: settings.environment[mail.domainKey] ?? '',
        former: former[mail.formerKey],
      }),
  );
}

type MailRow = (typeof inboundMail)[keyof typeof inboundMail];

/** Raw delivery: the message is the SES notification, as on the local host, without the SNS envelope. */
export const announcing = (queue: IQueue, props: SqsSubscriptionProps = {}): SqsSubscription =>
  new SqsSubscription(queue, { ...props, rawMessageDelivery: true });
