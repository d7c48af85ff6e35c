import { createHash } from 'node:crypto';
import { Annotations, CfnOutput, Stack } from 'aws-cdk-lib';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import {
  EmailIdentity,
  Identity,
  ReceiptFilter,
  ReceiptFilterPolicy,
  ReceiptRuleSet,
} from 'aws-cdk-lib/aws-ses';
import type { Construct } from 'constructs';
import { inboundMail } from '../../functions/triggers.ts';
import { domainOf } from '../../shared/protocol/mail-address.ts';
import { customerKeyOf } from './customer-key.ts';
import { dnsOutputs } from './dns-outputs.ts';
import { mailFromDomain } from './dns-records.ts';
import { acceptedOf } from './former-domains.ts';
import type { Bundles } from './handlers.ts';
import { MailActivation } from './mail-activation.ts';
import { announcing, makeReceivers } from './mail-receiver.ts';
import { DomainWatch, MailWatch } from './mail-watch.ts';
import { type MailQueue, mailQueues, makeQueue, outputQueue, type WorkQueues } from './queues.ts';
import { RECEIVING_REGIONS } from './receiving-regions.ts';
import { arrivalsIn, secondMailOf } from './second-region.ts';
import type { Settings } from './settings.ts';
import { stackName } from './stack-names.ts';
import { stackProps } from './stage.ts';
import { type ProvenDomain, provenBy } from './zone-records.ts';

/**
 * Everything that SES does, in a region where it receives mail.
 *
 *     MX -> a receipt rule per row of `inboundMail` -> S3 (the bucket of the data stack)
 *                                                   -> SNS -> SQS (arrivals)
 *     arrivals -> a function of the service stack, by mailbox -> SQS (reports, tester) -> its parsers
 *
 * The queues are in this stack and not with their consumers, so that mail waits while the service stack is replaced.
 */
export class MailStack extends Stack {
  readonly queues: Pick<WorkQueues, MailQueue>;
  /** Known before deployment, so that alarms can refer to the rules. */
  readonly ruleNames: readonly string[];
  readonly proven: readonly ProvenDomain[];
  /** The sender of alerts, if its domain is verified by this stack. */
  readonly alertSender: string | undefined;
  readonly watch: MailWatch;
  readonly domainWatch: DomainWatch;

  constructor(scope: Construct, settings: Settings, bucket: IBucket, bundles: Bundles) {
    super(scope, stackName(settings, 'mail'), stackProps(settings, 'mail', 'inbound mail'));
    const { receiptRuleSetName, region } = settings;
    if (region !== undefined && !RECEIVING_REGIONS.includes(region)) {
      const where = 'see "Email receiving endpoints" in the AWS General Reference';
      Annotations.of(this).addWarningV2(
        'region',
        `SES might not support receiving mail in ${region}: ${where}`,
      );
    }
    const ruleSet =
      receiptRuleSetName === undefined
        ? new ReceiptRuleSet(this, 'RuleSet')
        : ReceiptRuleSet.fromReceiptRuleSetName(this, 'RuleSet', receiptRuleSetName);
    const key = customerKeyOf(this, bucket);
    this.queues = Object.fromEntries(mailQueues.map((name) => [name, makeQueue(this, name, key)])) as Pick<
      WorkQueues,
      MailQueue
    >;
    const receivers = makeReceivers(this, settings, (kind, { queue }) => ({
      ...{ ruleSet, ruleName: ruleName(kind, settings), bucket, arrivals: this.queues[queue], key },
    }));
    const second = secondMailOf(settings);
    if (second !== undefined)
      for (const [kind, { queue }] of Object.entries<{ readonly queue: MailQueue }>(inboundMail)) {
        const { topic, refused } = arrivalsIn(this, second, kind);
        topic.addSubscription(announcing(this.queues[queue].queue, { deadLetterQueue: refused }));
      }
    this.ruleNames = Object.keys(inboundMail).map((kind) => ruleName(kind, settings));
    if (settings.testerAllowAllIps) {
      new ReceiptFilter(this, 'AllowAllIps', { policy: ReceiptFilterPolicy.ALLOW, ip: '0.0.0.0/0' });
    }
    this.alertSender = settings.existingAlertIdentity ? undefined : settings.alertSender;
    const senders = this.alertSender === undefined ? [] : [this.#sendAs(this.alertSender)];
    this.proven = [...receivers.flatMap(({ identities }) => identities), ...senders].map(provenBy);
    this.watch = new MailWatch(this, 'Watch', ruleSet, settings, bundles);
    const receiving = receivers.flatMap(({ identities }) => identities.map(({ domain }) => domain));
    this.domainWatch = new DomainWatch(this, 'DomainWatch', receiving, settings, bundles);
    if (receiptRuleSetName === undefined) {
      // Last, and first on deletion, so that nothing has to be restored if it fails.
      const everythingElse = this.node.children;
      const what = { ruleSet, ownRules: this.ruleNames };
      new MailActivation(this, 'Activation', what, settings, bundles).node.addDependency(...everythingElse);
    }
    this.#tell(settings);
    new CfnOutput(this, 'RuleSetName', { value: ruleSet.receiptRuleSetName });
  }

  /** The domain that sends alerts; bounces go to SES. */
  #sendAs(alertSender: string): { domain: string; identity: EmailIdentity } {
    const domain = domainOf(alertSender);
    const identity = new EmailIdentity(this, 'AlertSender', {
      identity: Identity.domain(domain),
      mailFromDomain: mailFromDomain(alertSender),
    });
    return { domain, identity };
  }

  #tell({ environment, formerReportsDomains, formerTesterDomains }: Settings): void {
    for (const [name, queue] of Object.entries(this.queues)) outputQueue(this, name, queue);
    const facts = dnsOutputs({
      region: this.region,
      reportsDomain: environment.REPORTS_DOMAIN,
      testerDomain: environment.TESTER_DOMAIN,
      formerReportsDomains: acceptedOf(formerReportsDomains),
      formerTesterDomains: acceptedOf(formerTesterDomains),
      dkimTokens: this.proven.flatMap(({ dkimTokens }) => dkimTokens),
      alertSender: this.alertSender,
    });
    for (const [id, value] of Object.entries(facts)) new CfnOutput(this, id, { value });
  }
}

/**
 * The name of the receipt rule for a kind of mail, unique per rule set: when the rule set changes, CloudFormation creates
 * the new rule before it deletes the old one, and identifies both only by name.
 */
function ruleName(kind: string, { stage, receiptRuleSetName }: Settings): string {
  const name = stackName({ stage }, kind);
  if (receiptRuleSetName === undefined) return name;
  return `${name}-${createHash('sha256').update(receiptRuleSetName).digest('hex').slice(0, 8)}`;
}
