import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { inboundMail, triggers } from '../../../functions/triggers.ts';
import { everything, prod, synthesize } from './synthesize.ts';

const deployed = synthesize(prod);
const withEverything = synthesize(everything);

type Json = Readonly<Record<string, unknown>>;

const log = ['logs:CreateLogStream on its log', 'logs:PutLogEvents on its log'];
const rules = deployed.all('AWS::SES::ReceiptRule').map(({ Rule }) => Rule as Json);
const resources = Object.entries(deployed.template('mail').Resources);
const idsOf = (type: string) => resources.flatMap(([id, { Type }]) => (Type === type ? [id] : []));

describe.each([
  ['reports', 'reports.acme.org'],
  ['tester', 'tester.acme.org'],
] as const)('mail to %s', (kind, domain) => {
  const rule = rules.find(({ Recipients }) => JSON.stringify(Recipients) === JSON.stringify([domain]));
  const [action] = (rule?.Actions ?? []) as { S3Action: Json }[];

  test('is accepted for every address of the domain, scanned, and with optional TLS', () => {
    expect(rule).toMatchObject({ Enabled: true, ScanEnabled: true, TlsPolicy: 'Optional' });
    expect(deployed.all('AWS::SES::EmailIdentity')).toContainEqual({ EmailIdentity: domain });
  });

  test('is stored under its prefix, and announced to the queue of arrivals as a raw SES notification', () => {
    expect(action?.S3Action).toMatchObject({
      BucketName: deployed.outputs('data').MailBucketName,
      ObjectKeyPrefix: inboundMail[kind].prefix,
    });
    const subscription = deployed
      .all('AWS::SNS::Subscription')
      .find(({ TopicArn }) => JSON.stringify(TopicArn) === JSON.stringify(action?.S3Action.TopicArn));
    expect(subscription).toMatchObject({ Protocol: 'sqs', RawMessageDelivery: true });
    const ids = idsOf('AWS::SQS::Queue').filter((id) => id.startsWith('arrivals'));
    const [deadLetters, queue] = ids.toSorted().map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
    expect(subscription).toMatchObject({
      Endpoint: queue,
      RedrivePolicy: { deadLetterTargetArn: deadLetters },
    });
  });

  test('waits for ten days, so that dead letters are kept for four more', () => {
    const queue = deployed.template('mail').Resources[queueId(kind)];
    expect(queue?.Properties).toMatchObject({ MessageRetentionPeriod: 10 * 24 * 3600 });
  });
});

const queueId = (kind: string) =>
  idsOf('AWS::SQS::Queue').find((id) => id.startsWith(`${kind}Queue`)) ?? 'none';

describe('SES', () => {
  test('may publish to the topics for this account, and nobody may publish without TLS', () => {
    for (const { PolicyDocument } of deployed.all('AWS::SNS::TopicPolicy').slice(0, 2)) {
      const { Statement } = PolicyDocument as { Statement: Json[] };
      expect(Statement).toContainEqual(
        expect.objectContaining({
          Action: 'sns:Publish',
          Effect: 'Allow',
          Principal: { Service: 'ses.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      );
      expect(Statement).toContainEqual(
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      );
    }
  });

  test('finds all policies when it creates a rule, because it tests them at that time', () => {
    const policies = [...idsOf('AWS::SNS::TopicPolicy'), ...idsOf('AWS::SQS::QueuePolicy')].filter(
      (id) => !/^(reports|tester)Queue/.test(id),
    );
    const awaited = resources.flatMap(([, { Type, DependsOn }]) =>
      Type === 'AWS::SES::ReceiptRule' ? (DependsOn as string[]) : [],
    );
    expect(awaited).toEqual(expect.arrayContaining(policies.filter((id) => !id.includes('DeadLetters'))));
  });

  test('accepts mail for no other addresses', () => {
    expect(rules.map(({ Recipients }) => Recipients)).toEqual([['reports.acme.org'], ['tester.acme.org']]);
  });

  test('uses its own list of blocked senders, unless a setting allows all addresses', () => {
    expect(deployed.all('AWS::SES::ReceiptFilter')).toEqual([]);
    expect(withEverything.all('AWS::SES::ReceiptFilter')).toEqual([
      { Filter: { IpFilter: { Cidr: '0.0.0.0/0', Policy: 'Allow' } } },
    ]);
  });
});

describe('the rule set', () => {
  test('is activated after its rules exist, and does not replace another one', () => {
    const [activation] = deployed.resources('Custom::ActiveReceiptRuleSet');
    expect(activation).toMatchObject({
      Properties: {
        ruleSetName: deployed.outputs('mail').RuleSetName,
        takeOver: false,
        ownRules: rules.map(({ Name }) => Name),
      },
      DependsOn: expect.arrayContaining(idsOf('AWS::SES::ReceiptRule')),
    });
    expect(deployed.permissions('Activates the receipt rule set of this deployment')).toEqual([
      ...log,
      'ses:DescribeActiveReceiptRuleSet on *',
      'ses:DescribeReceiptRuleSet on *',
      'ses:SetActiveReceiptRuleSet on *',
    ]);
  });

  test('is activated last and deactivated first, so that a failure changes nothing', () => {
    const [activation] = withEverything.resources('Custom::ActiveReceiptRuleSet');
    const others = Object.entries(withEverything.template('mail').Resources)
      .filter(([id]) => !id.startsWith('Activation'))
      .map(([id]) => id);
    expect(activation?.DependsOn).toEqual(expect.arrayContaining(others));
  });

  test('replaces another one if the takeover is enabled', () => {
    expect(withEverything.all('Custom::ActiveReceiptRuleSet')).toMatchObject([{ takeOver: true }]);
  });

  test('has unique rule names per rule set, and the alarms use the same names', () => {
    const named = (context: object) => {
      const made = synthesize({ ...prod, ...context });
      const names = made.all('AWS::SES::ReceiptRule').map(({ Rule }) => (Rule as Json).Name as string);
      const alarms = JSON.stringify(made.all('AWS::CloudWatch::Alarm'));
      for (const name of names) expect(alarms).toContain(`{"Name":"RuleName","Value":"${name}"}`);
      return names;
    };
    const ours = named({});
    expect(ours).toEqual(['domain-monitor-prod-reports', 'domain-monitor-prod-tester']);
    const shared = ['of-the-company', 'b'].flatMap((receiptRuleSetName) => named({ receiptRuleSetName }));
    const all = [...ours, ...shared];
    expect(new Set(all).size).toBe(6);
    for (const name of all) expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/);
  });

  const watch = 'Fails while the receipt rule set of this deployment is not active';

  test('is checked every minute', () => {
    expect(deployed.environment(watch)).toEqual({ RULE_SET_NAME: deployed.outputs('mail').RuleSetName });
    expect(deployed.permissions(watch)).toEqual([...log, 'ses:DescribeActiveReceiptRuleSet on *']);
    expect(deployed.all('AWS::Events::Rule')).toContainEqual(
      expect.objectContaining({
        Description: watch,
        ScheduleExpression: 'rate(1 minute)',
        State: 'ENABLED',
        Targets: [expect.objectContaining({ Arn: { 'Fn::GetAtt': [idOfWatch(), 'Arn'] } })],
      }),
    );
  });

  test('finds lost domains with access to their identities only', () => {
    const domains = 'Fails while mail to a domain of this deployment does not reach SES';
    const identities = ['reports.acme.org', 'tester.acme.org'].map(
      (name) => `arn:AWS::Partition:ses:AWS::Region:AWS::AccountId:identity/${name}`,
    );
    expect(deployed.permissions(domains)).toEqual([
      ...log,
      `ses:GetEmailIdentity on ${identities.join(' and ')}`,
    ]);
  });

  const idOfWatch = () => idsOf('AWS::Lambda::Function').find((id) => id.startsWith('Watch'));

  test('can be an existing one, whose activation does not change', () => {
    const shared = synthesize({ ...prod, receiptRuleSetName: 'of-the-company' });
    expect(shared.environment(watch)).toEqual({ RULE_SET_NAME: 'of-the-company' });
    expect(shared.all('AWS::SES::ReceiptRuleSet')).toEqual([]);
    expect(shared.all('Custom::ActiveReceiptRuleSet')).toEqual([]);
    expect(shared.all('AWS::SES::ReceiptRule').map(({ RuleSetName }) => RuleSetName)).toEqual([
      'of-the-company',
      'of-the-company',
    ]);
  });
});

describe('the region', () => {
  const warnings = (region: string) =>
    synthesize({ ...prod, region }).assembly.stacks.flatMap(({ messages }) =>
      messages.filter(({ level }) => level === 'warning').map(({ entry }) => String(entry.data)),
    );

  beforeEach(() => {
    // CDK prints its report to this stream.
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('raises a warning, not an error, if SES is not known to receive mail there', () => {
    expect(warnings('eu-south-2')).toEqual([
      expect.stringContaining('SES might not support receiving mail in eu-south-2'),
    ]);
    expect(warnings('eu-central-1')).toEqual([]);
  });
});

describe('alerts', () => {
  test('are sent from a domain whose bounces go to SES', () => {
    expect(withEverything.all('AWS::SES::EmailIdentity')).toContainEqual({
      EmailIdentity: 'acme.org',
      MailFromAttributes: { MailFromDomain: 'mail.acme.org' },
    });
  });

  test('can use an existing identity, which is not created and needs no DNS records', () => {
    const existing = synthesize({ ...everything, existingAlertIdentity: true });
    expect(existing.all('AWS::SES::EmailIdentity')).toEqual([
      { EmailIdentity: 'reports.acme.org' },
      { EmailIdentity: 'tester.acme.org' },
    ]);
    expect(Object.keys(existing.outputs('mail'))).not.toContain('DnsAlertSender');
    expect(JSON.stringify(existing.all('AWS::Route53::RecordSet'))).not.toContain('mail.acme.org');
    const { summary } = triggers.deliverNotification;
    expect(existing.permissions(summary)).toEqual(withEverything.permissions(summary));
    expect(existing.environment(summary).ALERT_SENDER).toBe('alerts@acme.org');
  });
});

describe('another domain of reports', () => {
  const identitiesOf = (given: object) =>
    Object.entries(synthesize({ ...prod, ...given }).template('mail').Resources).flatMap(
      ([id, { Type, Properties }]) =>
        Type === 'AWS::SES::EmailIdentity' ? [[Properties.EmailIdentity, id]] : [],
    );
  const first = Object.fromEntries(identitiesOf({}));
  const accepted = {
    reportsDomain: 'new.acme.org',
    formerReportsDomains: 'reports.acme.org',
    hostedZones: 'acme.org=Z1',
  };

  test('leaves the identity of the one before, so that its mail still arrives', () => {
    const identities = Object.fromEntries(identitiesOf(accepted));
    expect(Object.keys(identities).toSorted()).toEqual([
      'new.acme.org',
      'reports.acme.org',
      'tester.acme.org',
    ]);
    expect(identities['reports.acme.org']).toBe(first['reports.acme.org']);
    const rules = synthesize({ ...prod, ...accepted }).all('AWS::SES::ReceiptRule');
    expect(rules.map(({ Rule }) => (Rule as { Recipients: string[] }).Recipients)).toEqual([
      ['new.acme.org', 'reports.acme.org'],
      ['tester.acme.org'],
    ]);
  });

  test('keeps its own identity when the one before is removed', () => {
    const [before, after] = [accepted, { ...accepted, formerReportsDomains: 'reports.acme.org=removed' }].map(
      (given) => Object.fromEntries(identitiesOf(given)),
    );
    expect(Object.keys(after ?? {}).toSorted()).toEqual(['new.acme.org', 'tester.acme.org']);
    expect(after?.['new.acme.org']).toBe(before?.['new.acme.org']);
  });

  test('is known to the functions, and has records for both', () => {
    const deployed = synthesize({ ...prod, ...accepted });
    expect(deployed.environment(triggers.receiveReportMail.summary)).toMatchObject({
      REPORTS_DOMAIN: 'new.acme.org',
      FORMER_REPORTS_DOMAINS: 'reports.acme.org',
    });
    const records = deployed.all('AWS::Route53::RecordSet').map(({ Name, Type }) => `${Type} ${Name}`);
    for (const domain of ['new.acme.org', 'reports.acme.org'])
      expect(records).toEqual(expect.arrayContaining([`MX ${domain}.`, `TXT *._report._dmarc.${domain}.`]));
  });
});
