import { Annotations, CfnOutput, Stack } from 'aws-cdk-lib';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import {
  EmailIdentity,
  Identity,
  type IReceiptRule,
  ReceiptFilter,
  ReceiptFilterPolicy,
  ReceiptRuleSet,
} from 'aws-cdk-lib/aws-ses';
import type { Construct } from 'constructs';
import { inboundMail } from '../../functions/triggers.ts';
import { domainOf } from '../../shared/protocol/mail-address.ts';
import type { Bundles } from './bundle.ts';
import type { Settings } from './config.ts';
import { dnsOutputs } from './dns-outputs.ts';
import { type DkimToken, mailFromDomain } from './dns-records.ts';
import { MailActivation } from './mail-activation.ts';
import { MailReceiver } from './mail-receiver.ts';
import { type MailQueue, outputQueue, type WorkQueues } from './queues.ts';
import { stackName, stackProps } from './stage.ts';

/** Regions where SES was seen to receive mail. AWS adds more, so another one is only warned of. */
const RECEIVING_REGIONS: readonly string[] = [
  'us-east-1',
  'us-east-2',
  'us-west-2',
  'ca-central-1',
  'sa-east-1',
  'eu-central-1',
  'eu-north-1',
  'eu-west-1',
  'eu-west-2',
  'ap-northeast-1',
  'ap-southeast-1',
  'ap-southeast-2',
];

/** A domain that SES receives or sends for. */
export interface ProvenDomain {
  readonly domain: string;
  /** The DNS records that prove it; SES makes them up. */
  readonly dkimTokens: readonly DkimToken[];
}

/**
 * All that SES does, in a region where it receives.
 *
 *     MX -> a receipt rule per row of `inboundMail` -> S3 (the bucket of the data stack)
 *                                                   -> SNS -> SQS -> a parser of the service stack
 *
 * The queues lie here and not beside their parsers, so that mail waits when the service is taken down or replaced.
 */
export class MailStack extends Stack {
  readonly queues: Pick<WorkQueues, MailQueue>;
  readonly rules: readonly IReceiptRule[];
  readonly proven: readonly ProvenDomain[];

  constructor(scope: Construct, settings: Settings, bucket: IBucket, bundles: Bundles) {
    super(scope, stackName(settings, 'mail'), stackProps(settings, 'inbound mail'));
    const { receiptRuleSetName, region } = settings;
    if (region !== undefined && !RECEIVING_REGIONS.includes(region)) {
      const where = 'see "Email receiving endpoints" in the AWS General Reference';
      Annotations.of(this).addWarningV2('region', `SES is not known to receive mail in ${region}: ${where}`);
    }
    const ruleSet =
      receiptRuleSetName === undefined
        ? new ReceiptRuleSet(this, 'RuleSet')
        : ReceiptRuleSet.fromReceiptRuleSetName(this, 'RuleSet', receiptRuleSetName);
    const receivers = Object.entries(inboundMail).map(
      ([kind, mail]) =>
        new MailReceiver(this, kind, {
          mail,
          domain: settings.environment[mail.domainKey] ?? '',
          ruleSet,
          bucket,
        }),
    );
    this.rules = receivers.map(({ rule }) => rule);
    this.queues = Object.fromEntries(receivers.map(({ mail, queue }) => [mail.queue, queue])) as Pick<
      WorkQueues,
      MailQueue
    >;
    if (receiptRuleSetName === undefined) {
      new MailActivation(this, 'Activation', ruleSet, settings, bundles);
    }
    if (settings.testerAllowAllIps) {
      new ReceiptFilter(this, 'AllowAllIps', { policy: ReceiptFilterPolicy.ALLOW, ip: '0.0.0.0/0' });
    }
    const senders = settings.alertSender === undefined ? [] : [this.#sendAs(settings.alertSender)];
    this.proven = [...receivers, ...senders].map(({ domain, identity }) => ({
      domain,
      dkimTokens: identity.dkimRecords,
    }));
    this.#tell(settings);
    new CfnOutput(this, 'RuleSetName', { value: ruleSet.receiptRuleSetName });
  }

  /** A domain for alerts; their bounces go to SES. */
  #sendAs(alertSender: string): { domain: string; identity: EmailIdentity } {
    const domain = domainOf(alertSender);
    const identity = new EmailIdentity(this, 'AlertSender', {
      identity: Identity.domain(domain),
      mailFromDomain: mailFromDomain(alertSender),
    });
    return { domain, identity };
  }

  #tell({ environment, alertSender }: Settings): void {
    for (const [name, queue] of Object.entries(this.queues)) outputQueue(this, name, queue);
    const facts = dnsOutputs({
      region: this.region,
      reportsDomain: environment.REPORTS_DOMAIN,
      testerDomain: environment.TESTER_DOMAIN,
      dkimTokens: this.proven.flatMap(({ dkimTokens }) => dkimTokens),
      alertSender,
    });
    for (const [id, value] of Object.entries(facts)) new CfnOutput(this, id, { value });
  }
}
