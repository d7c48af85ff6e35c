import { SESClient } from '@aws-sdk/client-ses';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { CloudFormationCustomResourceEvent as Event } from 'aws-lambda';
import type { RuleSets } from '../../../../lib/cloud/activation/activation.ts';
import { customResource } from '../../../../lib/cloud/activation/custom-resource.ts';
import { apply } from '../../../../lib/cloud/activation/handler.ts';
import { sesRuleSets } from '../../../../lib/cloud/activation/rule-sets.ts';
import { anyone } from '../../../kit/aws-client.ts';
import { fakeAws, sesAnswers } from './fake-aws.ts';

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
  test.each<[string, Event['RequestType'], string | undefined, Record<string, string>, unknown[]]>([
    ['activates it if no rule set is active', 'Create', undefined, {}, ['ours']],
    ['activates it if no rule set is active', 'Update', undefined, {}, ['ours']],
    ['changes nothing if it is already active', 'Create', 'ours', {}, []],
    ['changes nothing if it is already active', 'Update', 'ours', {}, []],
    [
      'replaces another rule set if the takeover is enabled',
      'Create',
      'theirs',
      { takeOver: 'true' },
      ['ours'],
    ],
    ['activates its replacement', 'Update', 'ours', { ruleSetName: 'ours-again' }, ['ours-again']],
    ["deactivates the deployment's own rule set", 'Delete', 'ours', {}, [undefined]],
    ['leaves the rule set of others active', 'Delete', 'theirs', {}, []],
    ['changes nothing if none is active', 'Delete', undefined, {}, []],
  ])('%s: %s while %s is active', async (_title, kind, active, changed, changes) => {
    const sets = ruleSets(active);
    for (const _ of ['once', 'again']) await apply(request(kind, changed), sets);
    expect(sets.changes).toEqual(changes);
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

describe('the response to CloudFormation', () => {
  let cloudFormation: Awaited<ReturnType<typeof fakeAws>>;

  const answerOf = async (act: () => Promise<string | undefined>, statuses: readonly number[] = [200]) => {
    cloudFormation = await fakeAws(statuses.map((status) => ({ status })));
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
  let ses: Awaited<ReturnType<typeof fakeAws>>;
  const setsOn = (endpoint: string) => sesRuleSets(new SESClient(anyone(endpoint)));

  afterEach(() => {
    ses.close();
  });

  test.each(['ours', undefined])('reads the active rule set: %j', async (name) => {
    ses = await fakeAws([sesAnswers.active(name)]);
    expect(await setsOn(ses.url).active()).toBe(name);
  });

  test('reads the rules of a rule set', async () => {
    const { rules, refused } = sesAnswers;
    ses = await fakeAws([
      rules('one', 'two'),
      refused('RuleSetDoesNotExist', 'no'),
      refused('AccessDenied', 'no'),
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
    ses = await fakeAws([{ body: '<SetActiveReceiptRuleSetResponse/>' }]);
    await setsOn(ses.url).activate('ours');
    await setsOn(ses.url).activate(undefined);
    const [named, none] = ses.seen.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    expect(named).toMatchObject({ Action: 'SetActiveReceiptRuleSet', RuleSetName: 'ours' });
    expect(none).toEqual({ Action: 'SetActiveReceiptRuleSet', Version: '2010-12-01' });
  });
});
