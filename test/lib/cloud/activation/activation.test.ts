import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SESClient } from '@aws-sdk/client-ses';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { CloudFormationCustomResourceEvent as Event } from 'aws-lambda';
import type { RuleSets } from '../../../../lib/cloud/activation/activation.ts';
import { customResource } from '../../../../lib/cloud/activation/custom-resource.ts';
import { apply } from '../../../../lib/cloud/activation/handler.ts';
import { sesRuleSets } from '../../../../lib/cloud/activation/rule-sets.ts';

interface FakeRuleSets extends RuleSets {
  /** The rule sets that were activated, in order. */
  readonly changes: (string | undefined)[];
}

function ruleSets(active: string | undefined, rules: readonly string[] = []): FakeRuleSets {
  const changes: (string | undefined)[] = [];
  let now = active;
  return {
    changes,
    active: async () => now,
    activate: async (name) => {
      changes.push(name);
      now = name;
    },
    rules: async (name) => (name === 'ours' ? rules : []),
  };
}

const properties = { ServiceToken: 'arn', ruleSetName: 'ours', takeOver: 'false', ownRules: ['one', 'two'] };

function request(RequestType: Event['RequestType'], changed: Record<string, string> = {}): Event {
  const event = {
    RequestType,
    ServiceToken: 'arn',
    ResponseURL: 'https://cloudformation.example/answer',
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'Active',
    ResourceType: 'Custom::ActiveReceiptRuleSet',
    PhysicalResourceId: 'active-receipt-rule-set',
    ResourceProperties: { ...properties, ...changed },
    OldResourceProperties: properties,
  };
  return event as Event;
}

describe('the activation of the receipt rule set', () => {
  test.each(['Create', 'Update'] as const)('%s activates it if no rule set is active', async (kind) => {
    const sets = ruleSets(undefined);
    await apply(request(kind), sets);
    expect(sets.changes).toEqual(['ours']);
  });

  test.each(['Create', 'Update'] as const)('%s changes nothing if it is already active', async (kind) => {
    const sets = ruleSets('ours');
    await apply(request(kind), sets);
    await apply(request(kind), sets);
    expect(sets.changes).toEqual([]);
  });

  test('does not replace another active rule set, and explains what to do', async () => {
    const sets = ruleSets('theirs');
    await expect(apply(request('Create'), sets)).rejects.toThrow(
      /^The receipt rule set theirs is already active .* -c receiptRuleSetName=theirs\. .* -c takeOverActiveRuleSet=true\.$/,
    );
    expect(sets.changes).toEqual([]);
  });

  test.each([
    ['an update that disables the takeover', 'true', 'false'],
    ['the rollback of that update, which looks like an update that enables the takeover', 'false', 'true'],
    ['any other update', 'true', 'true'],
  ])('%s keeps a rule set that somebody else activated since, and says so', async (_title, before, after) => {
    const sets = ruleSets('theirs');
    const event = request('Update', { takeOver: after });
    const message = await apply(
      { ...event, OldResourceProperties: { ...properties, takeOver: before } } as Event,
      sets,
    );
    expect(message).toMatch(
      /^The receipt rule set theirs is active .* set-active-receipt-rule-set --rule-set-name ours$/,
    );
    expect(sets.changes).toEqual([]);
  });

  test('replaces another rule set if the takeover is enabled', async () => {
    const sets = ruleSets('theirs');
    await apply(request('Create', { takeOver: 'true' }), sets);
    expect(sets.changes).toEqual(['ours']);
  });

  test('activates its replacement if the rule set is replaced', async () => {
    const sets = ruleSets('ours');
    await apply(request('Update', { ruleSetName: 'ours-again' }), sets);
    expect(sets.changes).toEqual(['ours-again']);
  });

  test.each([
    ['ours', [undefined]],
    ['theirs', []],
    [undefined, []],
  ])("Delete deactivates only the deployment's own rule set: %s", async (active, changes) => {
    const sets = ruleSets(active);
    await apply(request('Delete'), sets);
    await apply(request('Delete'), sets);
    expect(sets.changes).toEqual(changes);
  });

  test('Delete fails while the rule set contains foreign rules, whether it is active or not', async () => {
    for (const active of ['ours', 'theirs']) {
      const sets = ruleSets(active, ['one', 'two', 'of-the-other-stage']);
      await expect(apply(request('Delete'), sets)).rejects.toThrow(
        /^The receipt rule set ours contains rules that do not belong to this deployment.*: of-the-other-stage$/,
      );
      expect(sets.changes).toEqual([]);
    }
  });

  test('Delete succeeds if the rule set contains only its own rules', async () => {
    const sets = ruleSets('ours', ['two', 'one']);
    await apply(request('Delete'), sets);
    expect(sets.changes).toEqual([undefined]);
  });

  test('fails if a property of the template is invalid', async () => {
    await expect(apply(request('Create', { takeOver: 'maybe' }), ruleSets(undefined))).rejects.toThrow();
  });
});

/** Starts a server that records its requests and answers with the given responses in order, then with the last one. */
async function listen(answers: readonly { status: number; body?: string }[]) {
  const seen: { method: string | undefined; type: string | undefined; body: string }[] = [];
  const server: Server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    seen.push({ method: incoming.method, type: incoming.headers['content-type'], body });
    const answer = answers[Math.min(seen.length, answers.length) - 1];
    outgoing.writeHead(answer?.status ?? 500).end(answer?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { seen, url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

describe('the response to CloudFormation', () => {
  let cloudFormation: Awaited<ReturnType<typeof listen>>;

  const answerOf = async (act: () => Promise<string | undefined>, statuses: readonly number[] = [200]) => {
    cloudFormation = await listen(statuses.map((status) => ({ status })));
    const handler = customResource('the-one', act);
    await handler({ ...request('Create'), ResponseURL: cloudFormation.url });
    return cloudFormation.seen;
  };

  afterEach(() => {
    cloudFormation.close();
  });

  test('always has the same physical resource ID', async () => {
    const [sent] = await answerOf(async () => undefined);
    expect(sent).toMatchObject({ method: 'PUT', type: '' });
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      Status: 'SUCCESS',
      PhysicalResourceId: 'the-one',
      StackId: 'stack',
      RequestId: 'request',
      LogicalResourceId: 'Active',
    });
  });

  test('contains the message as its reason', async () => {
    const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const [sent] = await answerOf(async () => 'another one is active').finally(() => written.mockRestore());
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      Status: 'SUCCESS',
      Reason: 'another one is active',
    });
  });

  test('contains the error as its reason, within the size limit', async () => {
    const [sent] = await answerOf(() => Promise.reject(new Error(`no: ${'x'.repeat(5000)}`)));
    const answer = JSON.parse(sent?.body ?? '');
    expect(answer).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'the-one' });
    expect(answer.Reason).toMatch(/^no: x+$/);
    expect(sent?.body.length).toBeLessThan(4096);
  });

  test('is sent again after a failure', async () => {
    expect(await answerOf(async () => undefined, [500, 503, 200])).toHaveLength(3);
  });

  test('fails the function if it never arrives', async () => {
    await expect(answerOf(async () => undefined, [500])).rejects.toThrow('CloudFormation returned 500');
  });
});

describe('the client for SES rule sets', () => {
  let ses: Awaited<ReturnType<typeof listen>>;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const setsOn = (endpoint: string) =>
    sesRuleSets(new SESClient({ endpoint, region: 'eu-west-1', credentials }));

  const described = (metadata: string) =>
    `<DescribeActiveReceiptRuleSetResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><DescribeActiveReceiptRuleSetResult>${metadata}</DescribeActiveReceiptRuleSetResult></DescribeActiveReceiptRuleSetResponse>`;

  afterEach(() => {
    ses.close();
  });

  test.each([
    ['<Metadata><Name>ours</Name></Metadata>', 'ours'],
    ['', undefined],
  ])('reads the active rule set: %j', async (metadata, name) => {
    ses = await listen([{ status: 200, body: described(metadata) }]);
    expect(await setsOn(ses.url).active()).toBe(name);
  });

  test('reads the rules of a rule set', async () => {
    const rule = (name: string) => `<member><Name>${name}</Name></member>`;
    ses = await listen([
      {
        status: 200,
        body: `<DescribeReceiptRuleSetResponse><DescribeReceiptRuleSetResult><Rules>${rule('one')}${rule('two')}</Rules></DescribeReceiptRuleSetResult></DescribeReceiptRuleSetResponse>`,
      },
      {
        status: 400,
        body: '<ErrorResponse><Error><Type>Sender</Type><Code>RuleSetDoesNotExist</Code><Message>no</Message></Error></ErrorResponse>',
      },
      {
        status: 400,
        body: '<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>',
      },
    ]);
    expect(await setsOn(ses.url).rules('ours')).toEqual(['one', 'two']);
    expect(await setsOn(ses.url).rules('gone')).toEqual([]);
    await expect(setsOn(ses.url).rules('ours')).rejects.toThrow('no');
    expect(Object.fromEntries(new URLSearchParams(ses.seen[0]?.body))).toMatchObject({
      Action: 'DescribeReceiptRuleSet',
      RuleSetName: 'ours',
    });
  });

  test('activates a rule set, or none', async () => {
    ses = await listen([{ status: 200, body: '<SetActiveReceiptRuleSetResponse/>' }]);
    await setsOn(ses.url).activate('ours');
    await setsOn(ses.url).activate(undefined);
    const [named, none] = ses.seen.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(named).toMatchObject({ Action: 'SetActiveReceiptRuleSet', RuleSetName: 'ours' });
    expect(none).toEqual({ Action: 'SetActiveReceiptRuleSet', Version: '2010-12-01' });
  });
});
