/** Inserts each fault that the run against the bundles must find into a copy of the assembly. */
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../../functions/routes.ts';
import { triggers } from '../../../functions/triggers.ts';
import { type BootedService, runToEnd, servedFrom } from '../../kit/service.ts';
import { useFolder } from '../../kit/use.ts';
import { useService } from '../../kit/use-service.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is walked freely
type Json = any;

/** The folder of an assembly and the resources of all its stacks; a test inserts a fault into them. */
interface Copy {
  readonly folder: string;
  readonly resources: readonly [string, { Type: string; Properties: Json }][];
}

function assemblyWith(fault: (copy: Copy) => void): string {
  const folder = useFolder('faults');
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

/** Removes an action from the policies of a function's role. */
function forbid(copy: Copy, summary: string, action: string): void {
  const [role] = functionOf(copy, summary).Role['Fn::GetAtt'];
  for (const { Properties } of ofType(copy, 'AWS::IAM::Policy')) {
    if (!JSON.stringify(Properties.Roles).includes(`"${role}"`)) continue;
    for (const statement of Properties.PolicyDocument.Statement) {
      statement.Action = [statement.Action].flat().filter((one: string) => one !== action);
    }
  }
}

/** Hides every resource of a type by changing the type. */
function remove(copy: Copy, type: string): void {
  for (const resource of ofType(copy, type)) resource.Type = 'AWS::CloudFormation::WaitConditionHandle';
}

describe('the service rejects an assembly, with the reason in one line,', () => {
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
      'if the API is not permitted to call a function',
      (copy) => remove(copy, 'AWS::Lambda::Permission'),
      /the API is not allowed to invoke .*listDomains.* for GET \/api\/v1\/domains$/,
    ],
    [
      'if nothing calls a function',
      (copy) => remove(copy, 'AWS::Scheduler::Schedule'),
      /nothing invokes .*sweepDueDomains/,
    ],
    [
      'if the scheduler is not permitted to call a function',
      (copy) => {
        for (const { Properties } of ofType(copy, 'AWS::IAM::Policy')) {
          for (const one of Properties.PolicyDocument.Statement) {
            if (one.Action === 'lambda:InvokeFunction') one.Effect = 'Deny';
          }
        }
      },
      /the scheduler is not allowed to invoke /,
    ],
    [
      'if no topic receives notifications of inbound mail',
      (copy) => remove(copy, 'AWS::SNS::Subscription'),
      /cannot deliver mail to reports\.deployed\.example: no queue with a consumer receives raw messages from the topic$/,
    ],
    [
      'if a topic is not permitted to send to the queue',
      (copy) => remove(copy, 'AWS::SQS::QueuePolicy'),
      /cannot deliver mail to reports\.deployed\.example: sns\.amazonaws\.com may not sqs:SendMessage on \S+$/,
    ],
    [
      'if no template has a variable for a given setting',
      (copy) => {
        for (const { Properties } of ofType(copy, 'AWS::Lambda::Function')) {
          delete Properties.Environment?.Variables?.TOOL_RATE_PER_MINUTE;
        }
      },
      /no function in CLOUD_ASSEMBLY uses TOOL_RATE_PER_MINUTE: synthesize it with that setting$/,
      { TOOL_RATE_PER_MINUTE: '5' },
    ],
  ])('%s', async (_title, fault, reason, environment = {}) => {
    const { code, output } = await runToEnd('start.ts', [], {
      CLOUD_ASSEMBLY: assemblyWith(fault),
      DATA_DIR: useFolder('faults'),
      PORT: '0',
      SMTP_PORT: '0',
      ...environment,
    });
    expect([code, output.trim()]).toEqual([1, expect.stringMatching(reason)]);
    expect(output.trim().split('\n')).toHaveLength(1);
  });
});

describe('in an assembly with faults, a function', () => {
  let service: BootedService;
  beforeAll(async () => {
    service = await useService({
      CLOUD_ASSEMBLY: assemblyWith((copy) => {
        forbid(copy, routes.createDomain.summary, 'dynamodb:PutItem');
        delete functionOf(copy, routes.listDomains.summary).Environment.Variables.TABLE_NAME;
        delete functionOf(copy, routes.createTestSession.summary).Environment.Variables.TESTER_DOMAIN;
        forbid(copy, triggers.drainDeletedDomain.summary, 'sqs:ReceiveMessage');
      }),
    });
  });

  const call = (method: string, path: string, json?: object) =>
    fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });

  test('without a permission fails, and the log names the permission', async () => {
    const { status } = await call('POST', '/api/v1/domains', { domain: 'a.example', usageType: 'parked' });
    expect(status).toBe(500);
    await logged(
      /createDomain.* is not authorized to perform: dynamodb:PutItem on resource: \S+:table\/deployed-table /,
    );
  });

  test('without the variable for its table looks for the default table, and fails', async () => {
    expect((await call('GET', '/api/v1/domains')).status).toBe(500);
    await logged(
      /listDomains.* is not authorized to perform: dynamodb:\w+ on resource: \S+:table\/email-domain-security /,
    );
  });

  test('without the variable for its domain uses the default domain', async () => {
    const { email } = (await (await call('POST', '/api/inbound-tester/sessions')).json()) as {
      email: string;
    };
    expect(email).toMatch(/@tester\.localhost$/);
  });

  test('that is not permitted to read its queue does not process it', async () => {
    await logged(
      /drainDeletedDomain.* is not authorized to perform: sqs:ReceiveMessage on resource: \S+:deletions /,
    );
  });

  /** Waits until the service logs the line; the output of the process arrives with a delay. */
  async function logged(line: RegExp): Promise<void> {
    const until = Date.now() + 15_000;
    while (!line.test(service.output()) && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(service.output()).toMatch(line);
  }
});
