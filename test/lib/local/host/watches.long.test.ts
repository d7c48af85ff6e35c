/** What the host notices about its machine: that file descriptors run out, and that the clock jumps. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { watchClock } from '../../../../lib/local/host/clock-watch.ts';
import { watchDescriptors } from '../../../../lib/local/host/descriptor-watch.ts';
import { createLog } from '../../../../shared/runtime/logging/log.ts';
import { until } from '../../../kit/until.ts';
import { atEnd } from '../../../kit/use.ts';

/** A log that keeps what it gets. */
function keepingLog() {
  const lines: [string, unknown][] = [];
  const keep = (message: string, fields?: object) => void lines.push([message, fields]);
  return { lines, log: { ...createLog('silent'), warn: keep, error: keep } };
}

test('a process without file descriptors says so once, and when it has some again', async () => {
  const { lines, log } = keepingLog();
  let code: string | undefined = 'EMFILE';
  const watch = watchDescriptors(log, () => {
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  });
  atEnd(() => watch.stop());
  await until(() => lines.length > 0);
  expect(lines).toEqual([['out of file descriptors: connections are refused', { problem: 'EMFILE' }]]);
  code = undefined;
  await until(() => lines.length > 1);
  expect(lines[1]).toEqual(['file descriptors again', undefined]);
});

const limited = process.platform === 'linux' ? test : test.skip;

limited('a server that cannot accept connections logs one line', async () => {
  const limited = [
    '-c',
    `ulimit -n 64; exec "$0" "$@"`,
    process.execPath,
    '--input-type=module',
    '-e',
    SERVER,
  ];
  const options = { cwd: import.meta.dirname, timeout: 30_000 };
  const { stdout, stderr } = await promisify(execFile)('sh', limited, options);
  const output = `${stdout}${stderr}`;
  expect(output.split('\n').filter((line) => line.includes('out of file descriptors'))).toHaveLength(1);
  expect(output).toContain('refused');
  expect(output).toContain('file descriptors again');
});

/** Opens files until none are left, connects to itself meanwhile, and closes them after some seconds. */
const SERVER = `
  import { closeSync, openSync } from 'node:fs';
  import { createServer, connect } from 'node:net';
  import { once } from 'node:events';
  import { setTimeout as sleep } from 'node:timers/promises';
  const { watchDescriptors } = await import('../../../../lib/local/host/descriptor-watch.ts');
  const { createLog } = await import('../../../../shared/runtime/logging/log.ts');
  const server = createServer(() => console.log('accepted')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  watchDescriptors(createLog('info'));
  const files = [];
  try { for (;;) files.push(openSync('/dev/null')); } catch {}
  await sleep(2500);
  closeSync(files.pop());
  const client = connect(server.address().port, '127.0.0.1');
  files.push(0);
  client.on('error', () => undefined).on('close', () => console.log('refused'));
  await once(client, 'close');
  for (const file of files) if (file > 2) closeSync(file);
  await sleep(1500);
  process.exit(0);
`;

describe('a jump of the clock', () => {
  test('is logged, and reported when it goes back', async () => {
    const { lines, log } = keepingLog();
    const setBack: number[] = [];
    let [time, uptime] = [1_000_000_000, 5_000];
    const watch = watchClock(log, (milliseconds) => setBack.push(milliseconds), {
      time: () => time,
      uptime: () => uptime,
    });
    atEnd(() => watch.stop());
    // A drift of less than a minute is no jump.
    time += 31_000;
    uptime += 1_000;
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(lines).toEqual([]);
    time += 86_400_000;
    await until(() => lines.length > 0);
    expect(setBack).toEqual([]);
    time -= 86_400_000;
    await until(() => lines.length > 1);
    expect(lines).toEqual([
      ['the clock jumped', { seconds: 86_400 }],
      ['the clock jumped', { seconds: -86_400 }],
    ]);
    expect(setBack).toEqual([86_400_000]);
  });
});
