/** Each fault that the run against the bundles is there to find, put into a copy of the assembly. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { triggers } from '../../../functions/triggers.ts';
import { type BootedService, bootService, runToEnd, servedFrom } from '../../kit/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is walked freely
type Json = any;

const folders: string[] = [];
const temporary = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The resources of all stacks, and the folder, for a fault to be made in. */
interface Copy {
  readonly folder: string;
  readonly resources: readonly [string, { Type: string; Properties: Json }][];
}

function assemblyWith(fault: (copy: Copy) => void): string {
  const folder = temporary();
  const { CLOUD_ASSEMBLY = '' } = servedFrom();
  for (const name of readdirSync(CLOUD_ASSEMBLY)) {
    if (name.startsWith('asset.')) symlinkSync(join(CLOUD_ASSEMBLY, name), join(folder, name));
    else cpSync(join(CLOUD_ASSEMBLY, name), join(folder, name));
  }
  const templates = readdirSync(folder)
    .filter((name) => name.endsWith('.template.json'))
    .map((name) => ({
      file: join(folder, name),
      content: JSON.parse(readFileSync(join(folder, name), 'utf8')),
    }));
  fault({ folder, resources: templates.flatMap(({ content }) => Object.entries<Json>(content.Resources)) });
  for (const { file, content } of templates) writeFileSync(file, JSON.stringify(content));
  return folder;
}

const ofType = ({ resources }: Copy, type: string) =>
  resources.flatMap(([, resource]) => (resource.Type === type ? [resource] : []));

function functionOf(copy: Copy, summary: string): Json {
  return ofType(copy, 'AWS::Lambda::Function').find(({ Properties }) => Properties.Description === summary)
    ?.Properties;
}

/** Takes an action away from the role of a function. */
function forbid(copy: Copy, summary: string, action: string): void {
  const [role] = functionOf(copy, summary).Role['Fn::GetAtt'];
  for (const { Properties } of ofType(copy, 'AWS::IAM::Policy')) {
    if (!JSON.stringify(Properties.Roles).includes(`"${role}"`)) continue;
    for (const statement of Properties.PolicyDocument.Statement) {
      statement.Action = [statement.Action].flat().filter((one: string) => one !== action);
    }
  }
}

/** Makes every resource of a type one that nobody looks for. */
function remove(copy: Copy, type: string): void {
  for (const resource of ofType(copy, type)) resource.Type = 'AWS::CloudFormation::WaitConditionHandle';
}

describe('an assembly is not served at all, and one line says why,', () => {
  test.each<[string, (copy: Copy) => void, RegExp, Record<string, string>?]>([
    [
      'without a bundle',
      (copy) => {
        const { S3Key } = functionOf(copy, routes.listDomains.summary).Code;
        rmSync(join(copy.folder, `asset.${S3Key.replace('.zip', '')}`));
      },
      /listDomains.* has no bundle/,
    ],
    [
      'where the API may not call a function',
      (copy) => remove(copy, 'AWS::Lambda::Permission'),
      /the API may not call .*listDomains.* for GET \/api\/v1\/domains$/,
    ],
    [
      'where nothing starts a function',
      (copy) => remove(copy, 'AWS::Scheduler::Schedule'),
      /nothing calls .*sweepDueDomains/,
    ],
    [
      'where the scheduler may not call a function',
      (copy) => {
        for (const { Properties } of ofType(copy, 'AWS::IAM::Policy')) {
          for (const one of Properties.PolicyDocument.Statement) {
            if (one.Action === 'lambda:InvokeFunction') one.Effect = 'Deny';
          }
        }
      },
      /the scheduler may not call /,
    ],
    [
      'where no topic tells of received mail',
      (copy) => remove(copy, 'AWS::SNS::Subscription'),
      /mail to reports\.deployed\.example ends at a topic/,
    ],
    [
      'where a topic may not tell the queue',
      (copy) => remove(copy, 'AWS::SQS::QueuePolicy'),
      /mail to reports\.deployed\.example ends at .*: sns\.amazonaws\.com may not sqs:SendMessage$/,
    ],
    [
      'that would not hear of a setting',
      (copy) => {
        for (const { Properties } of ofType(copy, 'AWS::Lambda::Function')) {
          delete Properties.Environment?.Variables?.TOOL_RATE_PER_MINUTE;
        }
      },
      /is told TOOL_RATE_PER_MINUTE: synthesise it with that setting$/,
      { TOOL_RATE_PER_MINUTE: '5' },
    ],
  ])('%s', async (_title, fault, reason, environment = {}) => {
    const { code, output } = await runToEnd('start.ts', [], {
      CLOUD_ASSEMBLY: assemblyWith(fault),
      DATA_DIR: temporary(),
      PORT: '0',
      SMTP_PORT: '0',
      ...environment,
    });
    expect([code, output.trim()]).toEqual([1, expect.stringMatching(reason)]);
    expect(output.trim().split('\n')).toHaveLength(1);
  });
});

describe('of an assembly that is served, a function', () => {
  let service: BootedService;
  beforeAll(async () => {
    service = await bootService({
      CLOUD_ASSEMBLY: assemblyWith((copy) => {
        forbid(copy, routes.createDomain.summary, 'dynamodb:PutItem');
        delete functionOf(copy, routes.listDomains.summary).Environment.Variables.TABLE_NAME;
        delete functionOf(copy, routes.createTestSession.summary).Environment.Variables.TESTER_DOMAIN;
        forbid(copy, triggers.drainDeletedDomain.summary, 'sqs:ReceiveMessage');
      }),
    });
  });
  afterAll(() => service?.remove());

  const call = (method: string, path: string, json?: object) =>
    fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });

  test('without a permission fails, and the log names it', async () => {
    const { status } = await call('POST', '/api/v1/domains', { domain: 'a.example', usageType: 'parked' });
    expect(status).toBe(500);
    await logged(
      /createDomain.* is not authorized to perform: dynamodb:PutItem on resource: \S+:table\/deployed-table /,
    );
  });

  test('without the key for its table finds none', async () => {
    expect((await call('GET', '/api/v1/domains')).status).toBe(500);
    await logged(
      /listDomains.* is not authorized to perform: dynamodb:\w+ on resource: \S+:table\/email-domain-security /,
    );
  });

  test('without the key for its domain names another than receives', async () => {
    const { email } = (await (await call('POST', '/api/inbound-tester/sessions')).json()) as {
      email: string;
    };
    expect(email).toMatch(/@tester\.localhost$/);
  });

  test('that may not read its queue does not work on it', async () => {
    await logged(
      /drainDeletedDomain.* is not authorized to perform: sqs:ReceiveMessage on resource: \S+:deletions /,
    );
  });

  /** Until the service has logged it: its output arrives a little later. */
  async function logged(line: RegExp): Promise<void> {
    const until = Date.now() + 15_000;
    while (!line.test(service.output()) && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(service.output()).toMatch(line);
  }
});
