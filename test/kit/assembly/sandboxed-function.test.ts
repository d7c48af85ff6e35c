import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { atEnd, useFolder } from '../use.ts';
import { SandboxedFunction } from './sandboxed-function.ts';

const folder = useFolder('sandbox');

let files = 0;

/** Returns a function with this code. Defaults: 20 s and 128 MB. */
function functionOf(
  code: string,
  given: { timeoutSeconds?: number; environment?: Record<string, string> } = {},
) {
  files += 1;
  const file = join(folder, `${files}.mjs`);
  writeFileSync(file, code);
  const sandboxed = new SandboxedFunction('tested', () => ({
    name: 'tested',
    file,
    handler: 'handler',
    timeoutSeconds: 20,
    memoryMegabytes: 128,
    environment: {},
    ...given,
  }));
  atEnd(() => sandboxed.stop());
  return sandboxed;
}

describe('a sandboxed function', () => {
  test('receives the event and the context, and returns JSON', async () => {
    const { invoke } = bound(
      functionOf(`export const handler = async (event, context) =>
        ({ ...event, left: context.getRemainingTimeInMillis(), memory: context.memoryLimitInMB, none: undefined });`),
    );
    const answer = await invoke({ a: 1 });
    expect(answer).toEqual({ a: 1, left: expect.any(Number), memory: '128' });
    expect((answer as { left: number }).left).toBeLessThanOrEqual(20_000);
  });

  test('sees only its own environment variables', async () => {
    const environment = { TABLE_NAME: 'table' };
    const { invoke } = bound(functionOf('export const handler = async () => process.env;', { environment }));
    expect(await invoke({})).toEqual(environment);
  });

  test('stays warm between calls, and runs concurrent calls in separate sandboxes', async () => {
    const { invoke } = bound(
      functionOf(`let calls = 0; let under = 0;
        export const handler = async () => {
          calls += 1; under += 1;
          await new Promise((resolve) => setTimeout(resolve, 50));
          under -= 1;
          return { calls, under };
        };`),
    );
    expect(await invoke({})).toEqual({ calls: 1, under: 0 });
    expect(await invoke({})).toEqual({ calls: 2, under: 0 });
    const answers = await Promise.all(Array.from({ length: 25 }, () => invoke({})));
    expect(answers).toHaveLength(25);
    for (const answer of answers) expect(answer).toMatchObject({ under: 0 });
  });

  test('is stopped after its timeout, and the next call starts a new sandbox', async () => {
    const { invoke } = bound(
      functionOf(
        `let calls = 0;
         export const handler = async ({ hang }) => { calls += 1; while (hang); return calls; };`,
        { timeoutSeconds: 1 },
      ),
    );
    expect(await invoke({})).toBe(1);
    await expect(invoke({ hang: true })).rejects.toMatchObject({ name: 'TimedOut' });
    expect(await invoke({})).toBe(1);
  });

  test.each([
    ['exceeds its memory', 'const all = []; for (;;) all.push(new Array(1e6).fill({}));', /memory/i],
    ['exits', 'process.exit(3);', /ended with code 3/],
    ['throws', "throw new Error('said so');", /said so/],
    [
      'has an unhandled rejection',
      "Promise.reject(new Error('unheard')); await new Promise(() => {});",
      /unheard/,
    ],
  ])('that %s fails the current call but not the next', async (_title, does, reason) => {
    const { invoke } = bound(
      functionOf(`export const handler = async ({ fail }) => { if (fail) { ${does} } return 'well'; };`),
    );
    await expect(invoke({ fail: true })).rejects.toThrow(reason);
    expect(await invoke({})).toBe('well');
  });

  test.each([
    ['cannot be loaded', "throw new Error('broken');", /broken/],
    ['has no handler', 'export const other = 1;', /exports no handler/],
  ])('that %s fails every call', async (_title, code, reason) => {
    const { invoke } = bound(functionOf(code));
    for (let n = 0; n < 2; n += 1) await expect(invoke({})).rejects.toThrow(reason);
  });

  test("has Lambda's payload limits", async () => {
    const { invoke } = bound(functionOf("export const handler = async ({ length }) => 'x'.repeat(length);"));
    const most = 6 * 1024 * 1024;
    await expect(invoke({ text: 'x'.repeat(most) })).rejects.toMatchObject({ part: 'event' });
    await expect(invoke({ length: most })).rejects.toMatchObject({ part: 'response' });
    expect(await invoke({ length: most - 2 })).toHaveLength(most - 2);
  });
});

const bound = (sandboxed: SandboxedFunction) => ({ invoke: (event: unknown) => sandboxed.invoke(event) });
