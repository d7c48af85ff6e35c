import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { triggers } from '../../../functions/triggers.ts';
import { accessLogFields } from '../../../lib/cloud/api-stage.ts';
import { RETRY_SECONDS } from '../../../shared/notify/retry.ts';
import { type LogLine, logLines } from '../../../shared/runtime/logging/log-lines.ts';
import type { Trigger } from '../../../shared/runtime/workers/trigger.ts';
import { queues } from '../../../shared/runtime/workers/trigger.ts';
import { METRICS_IN_ALARMS } from '../../docs/cost.ts';
import type { Deployed } from './deployed.ts';
import { everything, prod, synthesize } from './synthesize.ts';

interface Dimension {
  readonly Name: string;
  readonly Value: unknown;
}
interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly Dimension[];
}
interface AlarmProperties extends Metric {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly AlarmActions: readonly unknown[];
  readonly OKActions?: readonly unknown[];
  readonly Threshold: number;
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: Metric } }[];
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

const runbook = readFileSync(new URL('../../../lib/cloud/RUNBOOK.md', import.meta.url), 'utf8');

const canarySecretArn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:canary-AbCdEf';

const alarmsOf = (deployed: Deployed) =>
  deployed.all('AWS::CloudWatch::Alarm') as unknown as AlarmProperties[];
const metricsOf = (alarm: AlarmProperties): readonly Metric[] =>
  alarm.Metrics?.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []) ?? [alarm];

const alarmNamed = (name: string) =>
  alarms.find(({ AlarmName }) => AlarmName === `domain-monitor-prod-${name}`) as AlarmProperties;

const all = synthesize({ ...everything, canarySecretArn, noMailHours: 3 });
const alarms = alarmsOf(all);

describe('the alarms', () => {
  test('cover every queue, every area of the service, and the AWS services under them', () => {
    const areas = [...Object.values(routes), ...Object.values(triggers)].map(
      ({ handler }) => handler.split('/')[0],
    );
    // A further alarm of an area has a number.
    const names = new Set(
      alarms.map(({ AlarmName }) =>
        AlarmName.replace('domain-monitor-prod-', '').replace(/-fails-\d+$/, '-fails'),
      ),
    );
    expect([...names].toSorted()).toEqual(
      [
        ...Object.keys(queues).flatMap((queue) => [`${queue}-dead-letters`, `${queue}-waiting`]),
        ...[...new Set(areas)].map((area) => `${area}-fails`),
        ...['api-errors', 'api-slow', 'bounce-rate', 'checks-unknown', 'complaint-rate', 'concurrency-high'],
        ...Object.values<Trigger>(triggers).flatMap(({ name, source }) =>
          source.kind === 'schedule' ? [`${name}-silent`] : [],
        ),
        ...['functions-throttled', 'mail-lost', 'mail-not-stored', 'mail-rate', 'rule-set-inactive'],
        ...['api-errors-few', 'canary-mail', 'canary-read', 'dead-letters-stand', 'mail-domains'],
        ...['no-mail', 'sweep-late'],
        ...['table-fails', 'table-throttled'],
      ].toSorted(),
    );
  });

  test('describe the impact on users, whichever function fails', () => {
    const descriptions = alarms.map(({ AlarmDescription }) => AlarmDescription).join(' ');
    const rows = [...Object.values(routes), ...Object.values(triggers)];
    expect(rows.filter(({ errorImpact }) => !descriptions.includes(errorImpact))).toEqual([]);
    // The limit of CloudWatch.
    for (const { AlarmDescription } of alarms) expect(AlarmDescription.length).toBeLessThanOrEqual(1024);
  });

  test('wake somebody if users notice now or mail is lost, and are tickets otherwise; both tell when it is over', () => {
    const byTopic = Map.groupBy(alarms, ({ AlarmActions }) => JSON.stringify(AlarmActions));
    const { AlarmTopicArn, TicketTopicArn } = all.outputs('alarms');
    expect([...byTopic.keys()].toSorted()).toEqual(
      [AlarmTopicArn, TicketTopicArn].map((topic) => JSON.stringify([topic])).toSorted(),
    );
    const isUrgent = (name: string) =>
      JSON.stringify(alarmNamed(name).AlarmActions) === JSON.stringify([AlarmTopicArn]);
    for (const name of ['api-errors', 'mail-lost', 'rule-set-inactive', 'reports-waiting', 'reports-fails'])
      expect([name, isUrgent(name)]).toEqual([name, true]);
    for (const name of ['reports-dead-letters', 'api-slow', 'mail-rate', 'summaries-waiting'])
      expect([name, isUrgent(name)]).toEqual([name, false]);
    for (const { AlarmName, AlarmActions, OKActions } of alarms)
      expect([AlarmName, OKActions]).toEqual([
        AlarmName,
        AlarmName.endsWith('-dead-letters-stand') ? undefined : AlarmActions,
      ]);
  });

  test('tell of dead letters every day', () => {
    const { Metrics = [] } = alarmNamed('dead-letters-stand');
    const expression = Metrics.map((one) => (one as { Expression?: string }).Expression).join('');
    expect(expression).toMatch(/^IF\(HOUR\(m0\) == 7, 0, FILL\(m0, 0\) \+ /);
    expect(metricsOf(alarmNamed('dead-letters-stand'))).toHaveLength(Object.keys(queues).length);
  });

  test('are mailed if an address is set; without an address and an alert sender, there are fewer alarms', () => {
    const byMail = (deployed: Deployed) =>
      deployed.all('AWS::SNS::Subscription').filter(({ Protocol }) => Protocol === 'email');
    const addresses = (deployed: Deployed) => byMail(deployed).map(({ Endpoint }) => Endpoint);
    expect(addresses(all)).toEqual(['operators@acme.org', 'operators@acme.org']);
    const two = synthesize({ ...prod, alarmEmail: 'pager@acme.org', ticketEmail: 'desk@acme.org' });
    expect(addresses(two)).toEqual(['pager@acme.org', 'desk@acme.org']);
    const least = synthesize(prod);
    expect(byMail(least)).toEqual([]);
    expect(alarms.length - alarmsOf(least).length).toBe(5);
  });

  test("use the account's limit of concurrent functions", () => {
    const small = alarmsOf(synthesize({ ...prod, lambdaConcurrency: 10 }));
    expect(small).toContainEqual(
      expect.objectContaining({ MetricName: 'ClaimedAccountConcurrency', Threshold: 8 }),
    );
  });

  test('for waiting messages allow only for the retry pauses that count toward the age of a message', () => {
    const [first = 0, second = 0, third = 0] = RETRY_SECONDS;
    expect(alarmNamed('notifications-waiting').Threshold).toBe(first + second + third + 2 * 180);
    expect(alarmNamed('reports-waiting').Threshold).toBe(2 * (720 + 20));
  });

  test.each([
    [
      'more mail in an hour than is usual',
      'mail-rate',
      { MetricName: 'NumberOfMessagesSent', Period: 3600, Threshold: 5000, Statistic: 'Sum' },
    ],
    [
      'hours without mail, if they are set',
      'no-mail',
      {
        ...{ MetricName: 'NumberOfMessagesSent', EvaluationPeriods: 3, TreatMissingData: 'breaching' },
        ComparisonOperator: 'LessThanThreshold',
      },
    ],
    [
      'two failures of one mail within an hour',
      'mail-not-stored',
      { EvaluationPeriods: 12, DatapointsToAlarm: 2 },
    ],
    [
      'a schedule that starts nothing, even if nothing fails',
      'gatherNotifications-silent',
      {
        ...{ Namespace: 'AWS/Lambda', MetricName: 'Invocations', Statistic: 'Sum', Period: 300 },
        ...{ ComparisonOperator: 'LessThanThreshold', Threshold: 1, EvaluationPeriods: 3 },
        TreatMissingData: 'breaching',
      },
    ],
    [
      'bounces, and keep their state between rare data points',
      'bounce-rate',
      { Period: 3600, TreatMissingData: 'ignore' },
    ],
    ['complaints', 'complaint-rate', { Period: 3600, TreatMissingData: 'ignore' }],
    ['a canary that cannot read', 'canary-read', { Period: 900, EvaluationPeriods: 2, Threshold: 1 }],
    ['mail of the canary that does not arrive', 'canary-mail', { Period: 3600, EvaluationPeriods: 2 }],
  ])('detect %s: %s', (_what, name, properties) => {
    expect(alarmNamed(name)).toMatchObject(properties);
  });

  test('notice within minutes that another rule set is active, or that nothing checks it', () => {
    const watch = Object.entries(all.template('mail').Resources).find(([id]) => /^Watch.*Function/.test(id));
    expect(alarmNamed('rule-set-inactive')).toMatchObject({
      ...{ Namespace: 'AWS/Lambda', MetricName: 'Errors', Statistic: 'Sum', Period: 300 },
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: watch?.[0] } }],
      ...{ ComparisonOperator: 'GreaterThanOrEqualToThreshold', Threshold: 2, EvaluationPeriods: 1 },
      TreatMissingData: 'breaching',
    });
  });

  test('cover every function, including the fallback function', () => {
    const watched = JSON.stringify(
      alarms.filter(({ AlarmName }) => /-fails(?:-\d+)?$/.test(AlarmName)).map(({ Metrics }) => Metrics),
    );
    const resources = ['service', 'endpoints', 'people'].flatMap((part) =>
      Object.entries(all.template(part).Resources),
    );
    for (const [id, { Type, Properties }] of resources) {
      if (Type === 'AWS::Lambda::Function')
        expect([Properties.Description, watched]).toEqual([
          Properties.Description,
          expect.stringContaining(id),
        ]);
    }
  });

  test('for the table cover every operation that the stores use', () => {
    const sources = globSync('shared/**/*.ts', { cwd: root }).map((path) =>
      readFileSync(join(root, path), 'utf8'),
    );
    const imported = sources.flatMap((text) =>
      [...text.matchAll(/import \{([^}]+)\} from '@aws-sdk\/lib-dynamodb'/g)].map(([, names = '']) => names),
    );
    const commands = [...imported.join().matchAll(/\b(\w+)Command\b/g)].map(([, name = '']) => name);
    const pages = [...imported.join().matchAll(/\bpaginate(\w+)\b/g)].map(([, name = '']) => name);
    const operations = new Set(
      [...commands, ...pages].map(
        (name) =>
          ({
            Get: 'GetItem',
            Put: 'PutItem',
            Update: 'UpdateItem',
            Delete: 'DeleteItem',
            BatchGet: 'BatchGetItem',
            BatchWrite: 'BatchWriteItem',
            TransactWrite: 'TransactWriteItems',
          })[name] ?? name,
      ),
    );
    const watched = metricsOf(alarmNamed('table-fails')).map(
      ({ Dimensions = [] }) => Dimensions.find(({ Name }) => Name === 'Operation')?.Value,
    );
    expect(watched.toSorted()).toEqual([...operations].toSorted());
  });

  test("for the service's own metrics use metrics that log lines emit", () => {
    const made = Object.values<LogLine>(logLines).flatMap(({ counts = [], measures = {}, by = [] }) =>
      [counts, Object.keys(measures)].flat().map((name) => `${name} by ${[...by].toSorted().join(', ')}`),
    );
    const own = alarms.flatMap(metricsOf).filter(({ Namespace }) => !Namespace.startsWith('AWS/'));
    expect(new Set(own.map(({ Namespace }) => Namespace))).toEqual(new Set(['EmailDomainSecurity/prod']));
    for (const { MetricName, Dimensions = [] } of own) {
      const by = Dimensions.map(({ Name }) => Name).toSorted();
      expect(made).toContain(`${MetricName} by ${by.join(', ')}`);
    }
    expect(own.length).toBeGreaterThan(3);
  });
});

test('the canary has its token and the address of the API', () => {
  const canary = all.environment(
    'Reads a domain through the API, and sends a report mail each hour that has to become a report',
  );
  expect(canary).toMatchObject({
    API_URL: 'https://monitor.acme.org',
    CANARY_TOKEN: `{{resolve:secretsmanager:${canarySecretArn}:SecretString:token::}}`,
  });
});

test('a budget is mailed about before it is spent', () => {
  const [budget] = synthesize({ ...prod, alarmEmail: 'pager@acme.org', monthlyBudget: 200 }).all(
    'AWS::Budgets::Budget',
  );
  expect(budget).toMatchObject({
    Budget: { BudgetLimit: { Amount: 200, Unit: 'USD' }, TimeUnit: 'MONTHLY' },
    NotificationsWithSubscribers: [
      { Notification: { Threshold: 80 }, Subscribers: [{ Address: 'pager@acme.org' }] },
      { Notification: { Threshold: 100, NotificationType: 'FORECASTED' } },
    ],
  });
  expect(all.all('AWS::Budgets::Budget')).toEqual([]);
});

test('a saved query finds what one request led to, in lines that have the id', () => {
  const [query] = all.all('AWS::Logs::QueryDefinition');
  expect(query?.Name).toBe('domain-monitor-prod-service/correlation');
  expect(query?.QueryString).toContain("filter correlation = 'ID'");
  expect(logLines.notification.fields).toContain('correlations');
});

test('X-Ray traces all functions if it is set', () => {
  const traced = (deployed: Deployed) =>
    new Set(deployed.all('AWS::Lambda::Function').map((one) => JSON.stringify(one.TracingConfig)));
  expect(traced(all)).toEqual(new Set([undefined]));
  expect(traced(synthesize({ ...prod, stage: 'traced', xray: true, keepData: true }))).toEqual(
    new Set(['{"Mode":"Active"}']),
  );
});

test('the cost table uses about as many metrics as the alarms watch', () => {
  expect(Math.abs(alarms.flatMap(metricsOf).length - METRICS_IN_ALARMS)).toBeLessThan(12);
});

test('the dashboard is in an output, and shows every alarm', () => {
  const { DashboardUrl, AlarmTopicArn } = all.outputs('alarms');
  expect(JSON.stringify(DashboardUrl)).toContain(
    '#dashboards/dashboard/domain-monitor-prod-dashboard-eu-west-1',
  );
  expect(AlarmTopicArn).toEqual({ Ref: expect.any(String) });
  const [dashboard] = all.all('AWS::CloudWatch::Dashboard');
  const text = JSON.stringify(dashboard?.DashboardBody);
  for (const [id, { Type }] of Object.entries(all.template('alarms').Resources)) {
    if (Type === 'AWS::CloudWatch::Alarm') expect(text).toContain(id);
  }
});

/** The text under a second-level heading. */
const chapter = (title: string) => runbook.split(/^## /m).find((one) => one.startsWith(`${title}\n`)) ?? '';

/** The fenced code blocks in a language. */
const blocks = (language: string) =>
  [...runbook.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, text]) => text ?? '',
  );

describe('the runbook', () => {
  const anchor = (heading: string) => heading.toLowerCase().replaceAll(' ', '-');
  const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchor(heading ?? ''));

  test('has a heading for each alarm, and no others', () => {
    const linked = alarms.map(
      ({ AlarmDescription }) => AlarmDescription.split('Runbook: lib/cloud/RUNBOOK.md#')[1],
    );
    const written = [...chapter('Alarms').matchAll(/^### (.+)$/gm)].map(([, heading]) =>
      anchor(heading ?? ''),
    );
    expect([...new Set(linked)].toSorted()).toEqual(written.toSorted());
  });

  test('explains what to do about the dead letters of each queue', () => {
    const rows = [...chapter('Alarms').matchAll(/^\| `(\w+)` \|/gm)].map(([, queue]) => queue);
    expect(rows.toSorted()).toEqual(Object.keys(queues).toSorted());
  });

  test('links only to headings that exist', () => {
    const links = [...runbook.matchAll(/\]\(#([^)]+)\)/g)].map(([, link]) => link);
    expect(links.filter((link) => !headings.includes(link ?? ''))).toEqual([]);
  });

  test('names only alarms, outputs and settings that exist', () => {
    const names = alarms.map(({ AlarmName }) => AlarmName.replace('domain-monitor-prod-', ''));
    for (const [, name] of chapter('Alarms').matchAll(/\(`([a-z]+-[a-z-]+)`/g)) expect(names).toContain(name);
    const outputs = ['data', 'mail', 'service', 'alarms'].flatMap((part) => Object.keys(all.outputs(part)));
    expect(outputs).toEqual(
      expect.arrayContaining(['DashboardUrl', 'ReportsQueueUrl', 'ReportsDeadLettersUrl', 'TableName']),
    );
  });
});

/** Keywords and functions of the query language that the runbook uses. */
const LANGUAGE =
  'fields filter stats sort limit by as and or like desc asc count sum avg pct bin ispresent m'.split(' ');

/** Returns the fields that a query reads, without keywords, texts, numbers and the query's own names. */
function fieldsReadBy(query: string): string[] {
  const given = [...query.matchAll(/\bas (\w+)/g)].map(([, name]) => name);
  const bare = query.replaceAll(/'[^']*'|\/[^/]*\//g, ' ');
  const words = [...bare.matchAll(/@?[A-Za-z_][\w.]*/g)].map(([word]) => word);
  return words
    .filter((word) => !LANGUAGE.includes(word) && !given.includes(word))
    .map((word) => (word.startsWith('@') ? word : word.replace(/\..*/, '')));
}

/** Fields of every event in CloudWatch Logs, and of the report that Lambda adds to each invocation. */
const DISCOVERED = ['@timestamp', '@message', '@log', '@type', '@initDuration'];
const COMMON = ['time', 'level', 'message'];

function fieldsOf(name: string): string[] {
  const line: LogLine | undefined = logLines[name as keyof typeof logLines];
  if (line === undefined) throw new Error(`no line of the log: ${name}`);
  const { counts = [], measures = {}, by = [], fields } = line;
  return [counts, Object.keys(measures), by, fields].flat() as string[];
}

describe('a query of the runbook', () => {
  test.each(blocks('logs').map((query, at) => [at + 1, query] as const))(
    '%d uses only fields of the log lines',
    (_at, query) => {
      const names = [...query.matchAll(/\bmessage = '([^']+)'/g)].map(([, name]) => name ?? '');
      const known = [...DISCOVERED, ...COMMON, ...names.flatMap(fieldsOf)];
      expect(fieldsReadBy(query).filter((word) => !known.includes(word))).toEqual([]);
      if (names.length === 0) expect(fieldsReadBy(query).every((word) => word.startsWith('@'))).toBe(true);
    },
  );

  test.each([
    'ERROR\tInvoke Error \t{"errorType":"Error","errorMessage":"broken"}',
    'ERROR\tUncaught Exception \t{"errorType":"TypeError"}',
    'REPORT RequestId: 1 Duration: 50000.00 ms Status: timeout Task timed out after 50.00 seconds',
    'RequestId: 1 Error: Runtime exited with error: signal: killed',
  ])('finds the log line of Lambda: %s', (line) => {
    const pattern = /@message like \/([^/]+)\//.exec(blocks('logs').join())?.[1] ?? 'none';
    expect(line).toMatch(new RegExp(pattern));
  });

  test('of the access log uses only its fields', () => {
    const words = blocks('access-log').flatMap(fieldsReadBy);
    expect(Object.keys(accessLogFields)).toEqual(expect.arrayContaining(words));
    expect(words.length).toBeGreaterThan(3);
  });

  test('with unknown fields is detected', () => {
    expect(fieldsReadBy("filter message = 'sweep' | fields lag, error.name as why | sort why desc")).toEqual([
      'message',
      'lag',
      'error',
    ]);
    expect(blocks('logs').length).toBeGreaterThan(8);
  });
});
