import { describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { triggers } from '../../../functions/triggers.ts';
import { stackOf } from '../../../lib/cloud/placement.ts';
import { acknowledged, anyCode, everything, prod, synthesize } from './synthesize.ts';

/** CloudFormation's limits per stack. */
const MOST_RESOURCES = 500;
const MOST_OUTPUTS = 200;

/** The stacks have room for this many endpoints. */
const MOST_ENDPOINTS = 150;

const least = synthesize({});
const most = synthesize(everything);

const names = Object.keys(routes);

const partsOf = (deployed: typeof least) =>
  [...deployed.templates.keys()].map((name) => name.replace(/^domain-monitor-\w+-/, ''));

describe('the stacks', () => {
  test('are in an order in which each one finds what it needs', () => {
    expect(partsOf(least)).toEqual(['data', 'mail', 'service', 'endpoints', 'people', 'alarms', 'routes']);
    const order = partsOf(most);
    expect(order.toSorted()).toEqual(
      [
        ...['alarms', 'backup', 'data', 'dns', 'endpoints', 'mail', 'people', 'probes', 'routes'],
        'service',
      ].toSorted(),
    );
    for (const [before, after] of [
      ['data', 'mail'],
      ['mail', 'service'],
      ['probes', 'service'],
      ['service', 'endpoints'],
      ['endpoints', 'routes'],
      ['endpoints', 'alarms'],
      ['service', 'people'],
      ['people', 'routes'],
      ['people', 'alarms'],
      ['mail', 'dns'],
    ] as const) {
      expect(order.indexOf(before)).toBeLessThan(order.indexOf(after));
    }
  });

  test('depend only on stacks before them', () => {
    const names = [...most.templates.keys()];
    for (const { stackName, dependencies } of most.assembly.stacks) {
      const needed = dependencies.map(({ id }) => names.indexOf(id)).filter((index) => index !== -1);
      for (const index of needed) expect(index).toBeLessThan(names.indexOf(stackName));
    }
    expect(JSON.stringify(most.template('data'))).not.toMatch(/ImportValue|GetStackOutput/);
  });

  test(`have room for ${MOST_ENDPOINTS} endpoints`, () => {
    /** How much of a stack the endpoints take, each of them, and everything else. */
    const shares = (entries: object, of: readonly string[]) => {
      const ids = Object.keys(entries);
      const own = ids.filter((id) => of.some((name) => id.includes(name))).length;
      return { each: own / of.length, other: ids.length - own };
    };
    const roomIn = (part: string, of: readonly string[]) => {
      const { Resources, Outputs = {} } = most.template(part);
      const resources = shares(Resources, of);
      const outputs = shares(Outputs, of);
      return Math.floor(
        Math.min(
          (MOST_RESOURCES - resources.other) / resources.each,
          (MOST_OUTPUTS - outputs.other) / outputs.each,
        ),
      );
    };
    const [inService = [], inEndpoints = [], inPeople = []] = (
      ['service', 'endpoints', 'people'] as const
    ).map((part) =>
      Object.values(routes)
        .filter((row) => stackOf(row) === part)
        .map(({ name }) => name),
    );
    const roomInService = roomIn('service', inService);
    const roomInEndpoints = roomIn('endpoints', inEndpoints) + roomIn('people', inPeople);
    expect(roomInService + roomInEndpoints).toBeGreaterThanOrEqual(MOST_ENDPOINTS);
    // The routes have room however the endpoints are distributed. Those of `service` need more resources.
    const { Resources } = most.template('routes');
    const grown = (of: readonly string[], endpoints: number) => shares(Resources, of).each * endpoints;
    expect(
      shares(Resources, names).other +
        grown(inService, roomInService) +
        grown(inEndpoints, MOST_ENDPOINTS - roomInService),
    ).toBeLessThan(MOST_RESOURCES);
    // A function, its role, policy, log, and at most its permission; an integration, and one or two routes.
    expect(shares(most.template('service').Resources, inService).each).toBeGreaterThanOrEqual(4);
    expect(shares(most.template('endpoints').Resources, inEndpoints).each).toBeGreaterThanOrEqual(5);
    expect(grown(inEndpoints, 1)).toBeGreaterThanOrEqual(2);
  });

  test('allow the gateway to call each endpoint on its own path, wherever its function is', () => {
    const permissions = most.all('AWS::Lambda::Permission').map(({ SourceArn }) => JSON.stringify(SourceArn));
    for (const { name, path } of Object.values(routes)) {
      const ofPath = permissions.filter((source) => source.endsWith(`"/*/*${path}"]]}`));
      const rows = Object.values(routes).filter((row) => row.path === path);
      expect([name, ofPath.length]).toEqual([name, rows.length]);
    }
  });

  test('keep what survives a deletion where it is, under its logical ID', () => {
    const kept = [...most.templates].flatMap(([stack, { Resources }]) =>
      Object.entries(Resources).flatMap(([id, { DeletionPolicy }]) =>
        DeletionPolicy === undefined || DeletionPolicy === 'Delete'
          ? []
          : [`${stack.replace('domain-monitor-prod-', '')} ${id}`],
      ),
    );
    // The ID of a log consists of the path of its construct and a hash of it.
    const logs = [
      ...['fallback', 'Access'].map((name) => `service Api${name}Log`),
      ...Object.values(routes).map((row) =>
        stackOf(row) === 'service' ? `service Api${row.name}Log` : `${stackOf(row)} Endpoints${row.name}Log`,
      ),
      ...Object.keys(triggers).map((name) => `service Work${name}Log`),
      'mail ActivationactivateRuleSetLog',
      'mail WatchwatchRuleSetLog',
      'mail DomainWatchwatchMailDomainsLog',
    ];
    expect(kept.map((id) => id.replace(/Log[0-9A-F]{8}$/, 'Log')).toSorted()).toEqual(
      [
        'data TableCD117FA1',
        'data Mail6A3D1F64',
        'data SigningKeyEEFC2790',
        'backup Vault23237E5B',
        'backup Key961B73FD',
        'data SecretsKey317DCF94',
        'probes Address',
        ...logs,
      ].toSorted(),
    );
  });

  test('of prod are protected against deletion, and those of dev are not', () => {
    const isProtected = ({ assembly }: typeof least) =>
      new Set(assembly.stacks.map(({ terminationProtection }) => terminationProtection));
    expect(isProtected(most)).toEqual(new Set([true]));
    expect(isProtected(least)).toEqual(new Set([false]));
  });

  test('use the region that is set, or that of the AWS profile', () => {
    const regions = ({ assembly }: typeof least) =>
      new Set(assembly.stacks.map(({ environment }) => environment.region));
    expect(regions(most)).toEqual(new Set(['eu-west-1']));
    expect(regions(least)).toEqual(new Set(['unknown-region']));
  });

  test('are the same, byte for byte, if nothing changed', () => {
    expect(JSON.stringify([...synthesize(everything, new Map(anyCode)).templates])).toBe(
      JSON.stringify([...most.templates]),
    );
  });

  test('of both stages can exist in one account', () => {
    const names = new Set([...least.templates.keys(), ...synthesize(prod).templates.keys()]);
    expect(names.size).toBe(2 * least.templates.size);
  });

  test('acknowledge few AwsSolutions rules, each with a reason', () => {
    const answers = acknowledged(everything);
    const taken = answers.map(({ ruleName, acknowledgedAt }) => {
      const rule = ruleName.replace(/domain-monitor-prod-data:[^/]*\//, '');
      return `${rule} at ${acknowledgedAt.replace('domain-monitor-prod-', '')}`;
    });
    const wildcards = (resource: string, path: string, names: readonly string[]) =>
      names.map((name) => `AwsSolutions-IAM5[Resource::${resource}] at ${path}/${name}/Role`);
    expect(taken.toSorted()).toEqual([
      'AwsSolutions-APIG4 at routes',
      ...['AWSBackupServiceRolePolicyForS3Backup', 'service-role/AWSBackupServiceRolePolicyForBackup'].map(
        (name) => `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}] at backup/Role`,
      ),
      ...wildcards('*', 'endpoints/Endpoints', [
        ...[
          'checkAnyDomain',
          'checkAnyDomainWithToken',
          'checkDomainNow',
          'checkManyInConsole',
          'previewFix',
        ],
        ...['saveDomainCheck', 'serveMcp', 'showDomainCheck'],
      ]),
      ...wildcards('*', 'mail', ['Activation/activateRuleSet', 'Watch/watchRuleSet']),
      ...wildcards('*', 'service', ['Api/previewChecks', 'Api/runChecks', 'Work/checkDomain']),
      ...wildcards('reports/*', 'service/Api', ['getRawReportMail', 'replayReportMail']),
      ...wildcards('reports/*', 'service/Work', ['drainDeletedDomain', 'readMailbox', 'receiveReportMail']),
      ...wildcards('tester/*', 'service/Work', ['receiveTestMail']),
      'AwsSolutions-S1 at data/Mail',
      'AwsSolutions-VPC7 at probes/Network',
    ]);
    for (const { reason } of answers) expect(reason.length).toBeGreaterThan(40);
  });

  test('have outputs for operators', () => {
    expect(Object.keys(most.outputs('data'))).toEqual(['TableName', 'MailBucketName']);
    expect(Object.keys(most.outputs('mail'))).toEqual(
      expect.arrayContaining(['ReportsQueueUrl', 'ReportsDeadLettersUrl', 'TesterQueueUrl', 'RuleSetName']),
    );
    expect(Object.keys(most.outputs('service'))).toEqual(
      expect.arrayContaining(['ApiUrl', 'ChecksQueueUrl', 'ChecksDeadLettersUrl', 'DeletionsQueueUrl']),
    );
    expect(Object.keys(most.outputs('probes'))).toEqual(['ProbeAddress']);
  });
});
