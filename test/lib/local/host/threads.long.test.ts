import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import {
  type ThreadedFunctions,
  threadedFunctions,
} from '../../../../lib/local/host/threads/threaded-functions.ts';
import type { LoopbackServer } from '../../../../lib/local/stores/loopback-server.ts';
import type { Capability } from '../../../../shared/operations/capability.ts';
import { atEnd, useFolder } from '../../../kit/use.ts';

const path = useFolder('threads');
const folder = pathToFileURL(`${path}/`);

function start(
  servers: readonly LoopbackServer[] = [],
  memoryMegabytes = 64,
  unresponsiveSeconds = 3,
): ThreadedFunctions {
  const functions = threadedFunctions({ servers, folder, memoryMegabytes, unresponsiveSeconds });
  atEnd(() => functions.stop());
  return functions;
}

let files = 0;
function row(code: string, uses: readonly Capability[] = ['dns'], timeoutSeconds = 60) {
  files += 1;
  writeFileSync(join(path, `h${files}.ts`), code);
  return { handler: `h${files}`, timeoutSeconds, memoryMegabytes: 128, uses };
}

const echo = 'export const handler = async (event, context) => ({ event, memory: context.memoryLimitInMB });';
/** Computes without end for the event "busy", and waits a little otherwise. */
const slow = `export async function handler(event) {
  while (event === 'busy');
  await new Promise((resolve) => setTimeout(resolve, 500));
  return event;
}`;

describe('a function that reads mail or DNS', () => {
  test('runs in a thread, with the event and the context', async () => {
    const answer = await start()
      .functionOf(row(echo))
      .invoke({ a: [1] });
    expect(answer).toEqual({ event: { a: [1] }, memory: '128' });
  });

  test('fails with the stack of what it threw', async () => {
    const { invoke } = start().functionOf(
      row(`export const handler = async () => { throw new RangeError('here'); };`),
    );
    await expect(invoke(null)).rejects.toThrow(/RangeError: here\n {4}at handler/);
  });

  test('reaches the embedded servers through the host, with binary content', async () => {
    const asked: unknown[] = [];
    const server: LoopbackServer = {
      endpoint: 'http://127.0.0.1:9',
      async send({ method, url, body }) {
        asked.push([method, url, Buffer.isBuffer(body), body?.toString()]);
        return { status: 200, headers: { etag: '"1"' }, body: Uint8Array.of(0, 255) };
      },
      stop: async () => {},
    };
    const access = new URL('../../../../shared/store/aws-access.ts', import.meta.url).href;
    const code = `import { awsAccess } from '${access}';
      export async function handler() {
        const request = { method: 'PUT', hostname: '127.0.0.1', port: 9, path: '/b/k', query: { a: '1' }, headers: {}, body: 'x' };
        const { response } = await awsAccess().requestHandler.handle(request);
        return { status: response.statusCode, etag: response.headers.etag, body: [...Buffer.concat(await response.body.toArray())] };
      }`;
    const answer = await start([server]).functionOf(row(code)).invoke(null);
    expect(answer).toEqual({ status: 200, etag: '"1"', body: [0, 255] });
    expect(asked).toEqual([['PUT', '/b/k?a=1', true, 'x']]);
  });

  test('that needs too much memory ends its thread and not the process', async () => {
    // To fill the memory takes seconds on a busy machine.
    const { functionOf } = start([], 64, 60);
    const { invoke } = functionOf(
      row('export const handler = async () => { let all; for (;;) all = { all }; };'),
    );
    await expect(invoke(null)).rejects.toThrow(/memory/i);
    expect(await functionOf(row(echo)).invoke(1)).toMatchObject({ event: 1 });
  });
});

describe('a thread that computes without a pause', () => {
  test('is ended with all that it does; the next call starts another one', async () => {
    const { functionOf } = start();
    const { invoke } = functionOf(row(slow));
    const calls = [invoke('busy'), invoke('other')];
    const ended = { name: 'TimedOut', message: 'the thread lookups computed for more than 3 s' };
    for (const { status, reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[])
      expect([status, reason]).toEqual(['rejected', expect.objectContaining(ended)]);
    expect(await invoke('again')).toBe('again');
  });

  test('does not stop the other thread', async () => {
    const { functionOf } = start();
    const lookups = functionOf(row(slow)).invoke('busy');
    lookups.catch(() => undefined);
    expect(await functionOf(row(slow, ['report-mail:read', 'dns'])).invoke('mail')).toBe('mail');
    await expect(lookups).rejects.toThrow('computed');
  });

  test('interrupts other messages of queues only once: they run again, one at a time', async () => {
    const { invoke } = start().consumerOf(row(slow, ['test-mail:read']));
    const outcomes = await Promise.allSettled(['a', 'busy', 'b'].map((event) => invoke(event)));
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
    ).toEqual(['a', 'the thread alone computed for more than 3 s', 'b']);
  });
});

test('a function that only waits is not ended', async () => {
  const waiting =
    'export const handler = async () => { await new Promise((r) => setTimeout(r, 5000)); return "done"; };';
  expect(await start().functionOf(row(waiting)).invoke(null)).toBe('done');
});

test('a function that takes longer than its timeout fails, and its thread goes on', async () => {
  const { functionOf } = start();
  await expect(functionOf(row(slow, ['dns'], 0.1)).invoke('x')).rejects.toThrow('took longer than 0.1 s');
  expect(await functionOf(row(echo)).invoke(1)).toMatchObject({ event: 1 });
});
