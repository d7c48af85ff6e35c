/** The `package.json` of the package, from that of the repository. */

/** What the repository and the package have in common. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly repository?: unknown;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  /** Node.js for each platform. */
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** The source file of each entry of the package. */
export const entries = { '.': 'lib/library/index' } as const;

/** Packages that are not bundled: types of the package refer to theirs. */
export const dependencies = ['zod'] as const;

/**
 * The package contains the code of its other dependencies, so it needs no scripts, no overrides and no Node.js of its own. An
 * allowlist says what can be imported; files that are not listed there are its own.
 */
export function packageManifest({
  dependencies: versions,
  optionalDependencies: runtimes,
  ...common
}: Manifest): object {
  const { name, version, description, license, repository, engines } = common;
  return {
    ...{ name, version, description, license, ...(repository !== undefined && { repository }) },
    keywords: ['bimi', 'dkim', 'dmarc', 'dnssec', 'email', 'mta-sts', 'spf', 'tls-rpt'],
    type: 'module',
    engines,
    bin: { [name]: 'bin/main.js' },
    exports: {
      ...Object.fromEntries(
        Object.entries(entries).map(([path, file]) => [
          path,
          { types: `./types/${file}.d.ts`, default: `./${file}.js` },
        ]),
      ),
      './package.json': './package.json',
    },
    // Programs, and threads that they start.
    sideEffects: ['./bin/**', './lib/admin/**', './lib/local/**'],
    config: { runtimes },
    dependencies: Object.fromEntries(dependencies.map((one) => [one, versions[one]])),
  };
}
