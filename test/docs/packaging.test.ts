/** The unit for systemd and the compose file. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { readDocument } from './documents.ts';

const isInstalled = existsSync('/usr/bin/systemd-analyze');

(isInstalled ? test : test.skip)(
  `systemd finds the unit exposed at most 2.0${isInstalled ? '' : ' (skipped: no systemd-analyze)'}`,
  () => {
    const unit = fileURLToPath(new URL('../../docs/domain-monitor.service', import.meta.url));
    const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', unit], {
      encoding: 'utf8',
    });
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    expect(exposure).toBeGreaterThan(0);
    expect(exposure).toBeLessThanOrEqual(2);
  },
);

test('unit and compose file give a stop more time than it needs, and compose no rights', () => {
  expect(readDocument('docs/domain-monitor.service')).toMatch(/^TimeoutStopSec=30$/m);
  const compose = readDocument('compose.yaml');
  for (const line of [
    'read_only: true',
    'cap_drop: [ALL]',
    'stop_grace_period: 30s',
    "'no-new-privileges:true'",
  ])
    expect(compose).toContain(line);
});

test('unit and image start the service as `npm start` does', () => {
  const { start }: { start: string } = JSON.parse(readDocument('package.json')).scripts;
  expect(readDocument('docs/domain-monitor.service')).toContain(`/${start}\n`);
  expect(readDocument('Containerfile').replaceAll(/[",[\]]/g, '')).toContain(`\nENTRYPOINT ${start}\n`);
});
