import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { analyse } from '../../../shared/mail-test/analyse.ts';
import { verdicts } from '../../../shared/mail-test/rules.ts';
import { hostileMails, hostileWorld, received } from '../../kit/hostile-mails.ts';
import { useFolder } from '../../kit/use.ts';

describe('a hostile message is analyzed within ten seconds if it', () => {
  test.each(hostileMails)('%s', async (what, make) => {
    const mail = received(make());
    // CPU time, because nothing here waits, and other tests may run concurrently.
    const start = process.cpuUsage();
    const tested = await analyse(mail, hostileWorld);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(10_000);
    expect(verdicts).toContain(tested.verdict);
    expect(tested.results.spf.result).toBe('pass');
    // The stored result is limited too.
    expect(JSON.stringify(tested).length).toBeLessThan(400_000);
    if (what.includes('with a valid signature')) {
      expect(tested.results.dkim).toMatchObject({ valid: true, signatures: [{ verdict: 'pass' }] });
    }
  });
});

test('analyzing all large messages in sequence needs less than 512 MB', () => {
  const program = fileURLToPath(new URL('../../kit/analyse-mails.ts', import.meta.url));
  const folder = useFolder('mails');
  const files = hostileMails.flatMap(([, make], n) => {
    const message = make();
    const file = join(folder, String(n));
    if (message.length < 1_000_000) return [];
    writeFileSync(file, message);
    return [file];
  });
  expect(files.length).toBeGreaterThan(10);
  // A separate process: this one still holds the data from which it created the messages.
  const { stdout, stderr } = spawnSync(process.execPath, [program, ...files], {
    encoding: 'utf8',
    timeout: 120_000,
  });
  expect(stderr).toBe('');
  expect(Number(stdout)).toBeGreaterThan(50);
  expect(Number(stdout)).toBeLessThan(512);
});
