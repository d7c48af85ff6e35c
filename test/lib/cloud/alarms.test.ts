import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { queues, triggers } from '../../../functions/triggers.ts';
import { accessLogFields } from '../../../lib/cloud/api.ts';
import { METRICS_IN_ALARMS } from '../../../lib/cloud/cost.ts';
import { RETRY_SECONDS } from '../../../shared/notify/retry.ts';
import { type LogLine, logLines } from '../../../shared/runtime/log-lines.ts';
import type { Trigger } from '../../../shared/runtime/trigger.ts';
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
  readonly Threshold: number;
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: Metric } }[];
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

const runbook = readFileSync(new URL('../../../lib/cloud/RUNBOOK.md', import.meta.url), 'utf8');

let all: Deployed;
let alarms: AlarmProperties[];
const alarmsOf = (deployed: Deployed) =>
  deployed.all('AWS::CloudWatch::Alarm') as unknown as AlarmProperties[];
const metricsOf = (alarm: AlarmProperties): readonly Metric[] =>
  alarm.Metrics?.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []) ?? [alarm];

const alarmNamed = (name: string) =>
  alarms.find(({ AlarmName }) => AlarmName === `domain-monitor-prod-${name}`) as AlarmProperties;

beforeAll(() => {
  all = synthesize(everything);
  alarms = alarmsOf(all);
});

describe('the alarms', () => {
  test('watch every queue, every part of the service, and what they stand on', () => {
    const areas = [...Object.values(routes), ...Object.values(triggers)].map(
      ({ handler }) => handler.split('/')[0],
    );
    const names = alarms.map(({ AlarmName }) => AlarmName.replace('domain-monitor-prod-', ''));
    expect(names.toSorted()).toEqual(
      [
        ...Object.keys(queues).flatMap((queue) => [`${queue}-dead-letters`, `${queue}-waiting`]),
        ...[...new Set(areas)].map((area) => `${area}-fails`),
        ...['api-errors', 'api-slow', 'bounce-rate', 'checks-unknown', 'complaint-rate', 'concurrency-high'],
        ...Object.values<Trigger>(triggers).flatMap(({ name, source }) =>
          source.kind === 'schedule' ? [`${name}-silent`] : [],
        ),
        ...['functions-throttled', 'mail-lost', 'mail-not-stored', 'sweep-late', 'table-fails'],
        'table-throttled',
      ].toSorted(),
    );
  });

  test('say what users miss, whichever function fails', () => {
    const told = alarms.map(({ AlarmDescription }) => AlarmDescription).join(' ');
    const rows = [...Object.values(routes), ...Object.values(triggers)];
    expect(rows.filter(({ errorImpact }) => !told.includes(errorImpact))).toEqual([]);
  });

  test('all go to one topic, in a text that CloudWatch takes', () => {
    const topics = new Set(alarms.map(({ AlarmActions }) => JSON.stringify(AlarmActions)));
    expect(topics.size).toBe(1);
    for (const { AlarmDescription } of alarms) expect(AlarmDescription.length).toBeLessThanOrEqual(1024);
  });

  test('are mailed where an address is given; without one and without mail to organizations there are fewer', () => {
    const byMail = (deployed: Deployed) =>
      deployed.all('AWS::SNS::Subscription').filter(({ Protocol }) => Protocol === 'email');
    expect(byMail(all)).toEqual([expect.objectContaining({ Endpoint: 'operators@acme.org' })]);
    const least = synthesize(prod);
    expect(byMail(least)).toEqual([]);
    expect(alarms.length - alarmsOf(least).length).toBe(2);
  });

  test('know how many functions the account may run at once', () => {
    const small = alarmsOf(synthesize({ ...prod, lambdaConcurrency: 10 }));
    expect(small).toContainEqual(
      expect.objectContaining({ MetricName: 'ClaimedAccountConcurrency', Threshold: 8 }),
    );
  });

  test('of messages that wait do not wait for pauses that SQS leaves out of the age', () => {
    const [first = 0, second = 0, third = 0] = RETRY_SECONDS;
    expect(alarmNamed('notifications-waiting').Threshold).toBe(first + second + third + 2 * 180);
    expect(alarmNamed('reports-waiting').Threshold).toBe(2 * 720);
  });

  test('of mail that is not stored see two failures of one mail, however far apart within an hour', () => {
    expect(alarmNamed('mail-not-stored')).toMatchObject({ EvaluationPeriods: 12, DatapointsToAlarm: 2 });
  });

  test('notice a schedule that starts nothing, though nothing fails', () => {
    expect(alarmNamed('gatherNotifications-silent')).toMatchObject({
      ...{ Namespace: 'AWS/Lambda', MetricName: 'Invocations', Statistic: 'Sum', Period: 300 },
      ...{ ComparisonOperator: 'LessThanThreshold', Threshold: 1, EvaluationPeriods: 3 },
      TreatMissingData: 'breaching',
    });
  });

  test('watch every function, the one behind all other addresses among them', () => {
    const watched = JSON.stringify(
      alarms.filter(({ AlarmName }) => AlarmName.endsWith('-fails')).map(({ Metrics }) => Metrics),
    );
    for (const [id, { Type, Properties }] of Object.entries(all.template('service').Resources)) {
      if (Type === 'AWS::Lambda::Function')
        expect([Properties.Description, watched]).toEqual([
          Properties.Description,
          expect.stringContaining(id),
        ]);
    }
  });

  test('of what SES tells now and then keep their state in between', () => {
    for (const name of ['bounce-rate', 'complaint-rate'])
      expect(alarmNamed(name)).toMatchObject({ Period: 3600, TreatMissingData: 'ignore' });
  });

  test('of the table name every operation that the stores use', () => {
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

  test('of our own metrics name metrics that lines of the log make', () => {
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

test('the table of costs counts with about as many metrics as the alarms watch', () => {
  expect(Math.abs(alarms.flatMap(metricsOf).length - METRICS_IN_ALARMS)).toBeLessThan(12);
});

test('the dashboard is named in an output, and shows every alarm', () => {
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

/** What is below a heading of the second level. */
const chapter = (title: string) => runbook.split(/^## /m).find((one) => one.startsWith(`${title}\n`)) ?? '';

/** The fenced blocks of a language. */
const blocks = (language: string) =>
  [...runbook.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, text]) => text ?? '',
  );

describe('the runbook', () => {
  const anchor = (heading: string) => heading.toLowerCase().replaceAll(' ', '-');
  const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchor(heading ?? ''));

  test('has a heading for each alarm, and none for anything else', () => {
    const linked = alarms.map(
      ({ AlarmDescription }) => AlarmDescription.split('What to do: lib/cloud/RUNBOOK.md#')[1],
    );
    const written = [...chapter('Alarms').matchAll(/^### (.+)$/gm)].map(([, heading]) =>
      anchor(heading ?? ''),
    );
    expect([...new Set(linked)].toSorted()).toEqual(written.toSorted());
  });

  test('says of the dead letters of each queue what to do', () => {
    const rows = [...chapter('Alarms').matchAll(/^\| `(\w+)` \|/gm)].map(([, queue]) => queue);
    expect(rows.toSorted()).toEqual(Object.keys(queues).toSorted());
  });

  test('links to headings that are there', () => {
    const links = [...runbook.matchAll(/\]\(#([^)]+)\)/g)].map(([, link]) => link);
    expect(links.filter((link) => !headings.includes(link ?? ''))).toEqual([]);
  });

  test('names alarms, outputs and settings that are there', () => {
    const names = alarms.map(({ AlarmName }) => AlarmName.replace('domain-monitor-prod-', ''));
    for (const [, name] of chapter('Alarms').matchAll(/\(`([a-z]+-[a-z-]+)`/g)) expect(names).toContain(name);
    const outputs = ['data', 'mail', 'service', 'alarms'].flatMap((part) => Object.keys(all.outputs(part)));
    expect(outputs).toEqual(
      expect.arrayContaining(['DashboardUrl', 'ReportsQueueUrl', 'ReportsDeadLettersUrl', 'TableName']),
    );
  });
});

/** Words of the query language, and functions of it that the runbook uses. */
const LANGUAGE =
  'fields filter stats sort limit by as and or like desc asc count sum avg pct bin ispresent m'.split(' ');

/** The fields that a query asks for: neither words of the language, texts, numbers, nor names that it gives itself. */
function asked(query: string): string[] {
  const given = [...query.matchAll(/\bas (\w+)/g)].map(([, name]) => name);
  const bare = query.replaceAll(/'[^']*'|\/[^/]*\//g, ' ');
  const words = [...bare.matchAll(/@?[A-Za-z_][\w.]*/g)].map(([word]) => word);
  return words
    .filter((word) => !LANGUAGE.includes(word) && !given.includes(word))
    .map((word) => (word.startsWith('@') ? word : word.replace(/\..*/, '')));
}

/** Of every event in CloudWatch Logs, and of the report of each call that Lambda adds. */
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
    '%d asks for what the lines have',
    (_at, query) => {
      const names = [...query.matchAll(/\bmessage = '([^']+)'/g)].map(([, name]) => name ?? '');
      const known = [...DISCOVERED, ...COMMON, ...names.flatMap(fieldsOf)];
      expect(asked(query).filter((word) => !known.includes(word))).toEqual([]);
      if (names.length === 0) expect(asked(query).every((word) => word.startsWith('@'))).toBe(true);
    },
  );

  test.each([
    'ERROR\tInvoke Error \t{"errorType":"Error","errorMessage":"broken"}',
    'ERROR\tUncaught Exception \t{"errorType":"TypeError"}',
    'REPORT RequestId: 1 Duration: 50000.00 ms Status: timeout Task timed out after 50.00 seconds',
    'RequestId: 1 Error: Runtime exited with error: signal: killed',
  ])('finds the line of Lambda: %s', (line) => {
    const pattern = /@message like \/([^/]+)\//.exec(blocks('logs').join())?.[1] ?? 'none';
    expect(line).toMatch(new RegExp(pattern));
  });

  test('of the access log asks for what that has', () => {
    const words = blocks('access-log').flatMap(asked);
    expect(Object.keys(accessLogFields)).toEqual(expect.arrayContaining(words));
    expect(words.length).toBeGreaterThan(3);
  });

  test('that misses is noticed', () => {
    expect(asked("filter message = 'sweep' | fields lag, error.name as why | sort why desc")).toEqual([
      'message',
      'lag',
      'error',
    ]);
    expect(blocks('logs').length).toBeGreaterThan(8);
  });
});
