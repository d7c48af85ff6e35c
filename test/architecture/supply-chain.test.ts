/** What the service is built from: the bill of materials, the signatures of packages, and no install scripts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { useFolder } from '../kit/use.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Locked {
  readonly version: string;
  readonly dev?: true;
  readonly devOptional?: true;
}

/** A component of CycloneDX. */
interface Listed {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly expression?: string;
    readonly license?: { readonly id?: string; readonly name?: string };
  }[];
}

const licensesOf = ({ licenses = [] }: Listed): string =>
  licenses.map(({ expression, license }) => expression ?? license?.id ?? license?.name ?? '').join();

test('the bill of materials contains every package of production, with its version and license', () => {
  const printed = execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: root, encoding: 'utf8' });
  const { bomFormat, components }: { bomFormat: string; components: readonly Listed[] } = JSON.parse(printed);
  expect(bomFormat).toBe('CycloneDX');
  const listed = components.map(({ name, version }) => `${name}@${version}`);
  const lock: { packages: Readonly<Record<string, Locked>> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const needed = Object.entries(lock.packages).flatMap(([path, { version, dev, devOptional }]) =>
    path === '' || dev || devOptional || !existsSync(join(root, path))
      ? []
      : [`${path.replace(/^.*node_modules\//, '')}@${version}`],
  );
  expect(needed.length).toBeGreaterThan(50);
  expect(needed.filter((one) => !listed.includes(one))).toEqual([]);
  for (const component of components)
    expect([component.name, licensesOf(component)]).toEqual([
      component.name,
      expect.stringMatching(/^\(?[A-Z0-9]/),
    ]);
});

test('the changelog has a section for the version, which is also that of the lock file', () => {
  const notes = execFileSync('.ci/release-notes', { cwd: root, encoding: 'utf8' });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  expect(/^## (.*)$/m.exec(changelog)?.[1]).toBe(version);
  expect(notes.length).toBeGreaterThan(100);
  expect(changelog).toContain(`## ${version}\n\n${notes}`);
  expect(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).version).toBe(version);
});

test('npm runs no install scripts, and no script of the project depends on them', () => {
  expect(readFileSync(join(root, '.npmrc'), 'utf8').split('\n')).toContain('ignore-scripts=true');
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const names = Object.keys(scripts);
  const hooks = names.filter((name) => names.some((other) => [`pre${other}`, `post${other}`].includes(name)));
  expect(hooks).toEqual([]);
});

describe('.ci/signatures', () => {
  let folder: string;

  /** Runs it with a program in place of npm. */
  function verify(npm: string): { status: number | null; output: string } {
    folder = useFolder('signatures');
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
    const PATH = `${folder}${delimiter}${process.env.PATH}`;
    const { status, stdout, stderr } = spawnSync('.ci/signatures', {
      cwd: root,
      env: { ...process.env, PATH, SIGNATURES_SECONDS: '1' },
      encoding: 'utf8',
    });
    return { status, output: `${stdout}${stderr}`.trim() };
  }

  test.each([
    ['{"invalid":[],"missing":[]}', 0, 0, 'signatures: verified'],
    [
      '{"invalid":[{"name":"hono","version":"4.0.0","code":"EINTEGRITYSIGNATURE"}],"missing":[]}',
      1,
      1,
      'signatures: INVALID: hono@4.0.0',
    ],
    [
      '{"invalid":[],"missing":[{"name":"hono","version":"4.0.0"}]}',
      1,
      0,
      'signatures: skipped, because the registry has none for 1 packages',
    ],
    [
      '{"error":{"code":"ENOTFOUND"}}',
      1,
      0,
      'signatures: skipped, because the registry did not answer (ENOTFOUND)',
    ],
    ['', 1, 0, 'signatures: skipped, because the registry did not answer (no reason given)'],
  ])('after the report %j with code %i, ends with code %i: %s', (report, code, status, output) => {
    expect(verify(`echo '${report}'; exit ${code}`)).toEqual({ status, output });
  });

  test('waits only so long for the registry', () => {
    expect(verify('exec sleep 20')).toEqual({
      status: 0,
      output: 'signatures: skipped, because the registry did not answer within 1 s',
    });
  });
});
