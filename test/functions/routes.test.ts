import { expect, test } from '@jest/globals';
import { routes } from '../../functions/routes.ts';
import { triggers } from '../../functions/triggers.ts';
import { pathPattern } from '../../shared/runtime/http/path-pattern.ts';
import { cacheControlOf, methodsOf, pathsOf, type Route } from '../../shared/runtime/http/route.ts';
import type { Trigger } from '../../shared/runtime/workers/trigger.ts';
import { recorded } from '../kit/recorded.ts';

const all: readonly Route[] = Object.values(routes);
const answering = (status: number) =>
  all.filter(({ success }) => success.status === status).map(({ method, name }) => `${method} ${name}`);

test('a route answers 201 if it creates something, 303 if it is a form that leads to a page, and 200 otherwise', () => {
  expect(answering(201).toSorted()).toEqual([
    'POST addMailbox',
    'POST createDomain',
    'POST createInvitation',
    'POST createTestSession',
    'POST createToken',
    'POST redeliver',
    'POST runMailbox',
    'POST testNotifications',
  ]);
  const forms = all.filter(({ method, success }) => method === 'POST' && success.status === 303);
  expect(answering(303)).toHaveLength(forms.length);
  expect(answering(200).length + answering(201).length + forms.length).toBe(all.length);
});

test('a route rejects the paths of other resources that its template fits, with their methods', () => {
  const rowsOfApi = all.filter(({ path }) => path.startsWith('/api/'));
  const found = rowsOfApi.map(({ name, path, reserved = {} }) => {
    const others = rowsOfApi.flatMap((other) =>
      pathsOf(other)
        .filter((one) => one !== path && pathPattern(path).test(one))
        .map((one): [string, string[]] => [one.split('/').at(-1) ?? '', [...methodsOf(other)]]),
    );
    return [name, reserved, Object.fromEntries(others)];
  });
  for (const [name, reserved, others] of found) expect([name, reserved]).toEqual([name, others]);
  expect(found.filter(([, , others]) => Object.keys(others ?? {}).length > 0)).toHaveLength(4);
});

test('each route has the access, rate limit, time, memory and answer that were recorded', () => {
  const lines = all.map((route) => {
    const { name, access, scope = 'nobody', rate, timeoutSeconds, memoryMegabytes, errors } = route;
    const flags = Object.entries({ ...route, ...route.success }).filter(([, value]) => value === true);
    return [
      `${name}: ${access}, ${scope}, rate of ${rate}, ${timeoutSeconds} s, ${memoryMegabytes} MB`,
      ...[cacheControlOf(route) ?? 'not kept', ...flags.map(([flag]) => flag)].map((one) => `(${one})`),
      ...errors,
    ].join(' ');
  });
  expect(lines.join('\n')).toMatchSnapshot();
});

test('each job has the source, time and memory that were recorded', () => {
  for (const { errorImpact: _, summary: __, uses: ___, ...trigger } of Object.values<Trigger>(triggers))
    recorded(trigger);
});

test('a batch has at most the ten messages that SQS returns to a request', () => {
  const batches = Object.values<Trigger>(triggers).flatMap(({ source }) =>
    source.kind === 'queue' ? [source.batchSize] : [],
  );
  expect(Math.max(...batches)).toBe(10);
  expect(Math.min(...batches)).toBe(1);
});
