import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { inboundMail } from '../../../functions/triggers.ts';
import { everything, prod, synthesize } from './synthesize.ts';

const deployed = synthesize(prod);
const withEverything = synthesize(everything);

type Json = Readonly<Record<string, unknown>>;

const rules = deployed.all('AWS::SES::ReceiptRule').map(({ Rule }) => Rule as Json);
const resources = Object.entries(deployed.template('mail').Resources);
const idsOf = (type: string) => resources.flatMap(([id, { Type }]) => (Type === type ? [id] : []));

describe.each([
  ['reports', 'reports.acme.org'],
  ['tester', 'tester.acme.org'],
] as const)('mail to %s', (kind, domain) => {
  const rule = rules.find(({ Recipients }) => JSON.stringify(Recipients) === JSON.stringify([domain]));
  const [action] = (rule?.Actions ?? []) as { S3Action: Json }[];

  test('is taken for every address of the domain, scanned, and by TLS where the sender can', () => {
    expect(rule).toMatchObject({ Enabled: true, ScanEnabled: true, TlsPolicy: 'Optional' });
    expect(deployed.all('AWS::SES::EmailIdentity')).toContainEqual({ EmailIdentity: domain });
  });

  test('is stored at its place, and told to the queue of its parser as SES tells it', () => {
    expect(action?.S3Action).toMatchObject({
      BucketName: deployed.outputs('data').MailBucketName,
      ObjectKeyPrefix: inboundMail[kind].prefix,
    });
    const subscription = deployed
      .all('AWS::SNS::Subscription')
      .find(({ TopicArn }) => JSON.stringify(TopicArn) === JSON.stringify(action?.S3Action.TopicArn));
    expect(subscription).toMatchObject({ Protocol: 'sqs', RawMessageDelivery: true });
    const ids = idsOf('AWS::SQS::Queue').filter((id) => id.startsWith(kind));
    const [deadLetters, queue] = ids.toSorted().map((id) => ({ 'Fn::GetAtt': [id, 'Arn'] }));
    expect(subscription).toMatchObject({
      Endpoint: queue,
      RedrivePolicy: { deadLetterTargetArn: deadLetters },
    });
  });

  test('waits as long as SQS can keep it', () => {
    const queue = deployed.template('mail').Resources[queueId(kind)];
    expect(queue?.Properties).toMatchObject({ MessageRetentionPeriod: 14 * 24 * 3600 });
  });
});

const queueId = (kind: string) =>
  idsOf('AWS::SQS::Queue').find((id) => id.startsWith(`${kind}Queue`)) ?? 'none';

describe('SES', () => {
  test('may publish to the topics, for this account, and nobody may without TLS', () => {
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

  test('finds all policies there when a rule is made, for it tries them then', () => {
    const policies = [...idsOf('AWS::SNS::TopicPolicy'), ...idsOf('AWS::SQS::QueuePolicy')];
    const awaited = resources.flatMap(([, { Type, DependsOn }]) =>
      Type === 'AWS::SES::ReceiptRule' ? (DependsOn as string[]) : [],
    );
    expect(awaited).toEqual(expect.arrayContaining(policies.filter((id) => !id.includes('DeadLetters'))));
  });

  test('takes mail for no other addresses', () => {
    expect(rules.map(({ Recipients }) => Recipients)).toEqual([['reports.acme.org'], ['tester.acme.org']]);
  });

  test('keeps its own list of blocked senders, unless told otherwise', () => {
    expect(deployed.all('AWS::SES::ReceiptFilter')).toEqual([]);
    expect(withEverything.all('AWS::SES::ReceiptFilter')).toEqual([
      { Filter: { IpFilter: { Cidr: '0.0.0.0/0', Policy: 'Allow' } } },
    ]);
  });
});

describe('the rule set', () => {
  test('is made active once its rules are there, and takes over no other', () => {
    const [activation] = deployed.resources('Custom::ActiveReceiptRuleSet');
    expect(activation).toMatchObject({
      Properties: { ruleSetName: deployed.outputs('mail').RuleSetName, takeOver: false },
      DependsOn: expect.arrayContaining(idsOf('AWS::SES::ReceiptRule')),
    });
    expect(deployed.permissions('Makes the receipt rule set of this deployment the active one')).toEqual([
      'logs:CreateLogStream on its log',
      'logs:PutLogEvents on its log',
      'ses:DescribeActiveReceiptRuleSet on *',
      'ses:SetActiveReceiptRuleSet on *',
    ]);
  });

  test('takes the place of another one where that is asked for', () => {
    expect(withEverything.all('Custom::ActiveReceiptRuleSet')).toMatchObject([{ takeOver: true }]);
  });

  test("can be somebody else's, which is left as active as it is", () => {
    const shared = synthesize({ ...prod, receiptRuleSetName: 'of-the-company' });
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
    // Where CDK prints its report.
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('is warned of where SES is not known to receive, and not refused', () => {
    expect(warnings('eu-south-2')).toEqual([
      expect.stringContaining('SES is not known to receive mail in eu-south-2'),
    ]);
    expect(warnings('eu-central-1')).toEqual([]);
  });
});

describe('alerts', () => {
  test('are sent as a domain whose bounces go to SES', () => {
    expect(withEverything.all('AWS::SES::EmailIdentity')).toContainEqual({
      EmailIdentity: 'acme.org',
      MailFromAttributes: { MailFromDomain: 'mail.acme.org' },
    });
  });
});
