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
export const entries = { '.': 'lib/library/index', './cdk': 'lib/cloud/index' } as const;

/** Packages whose types the types of the package refer to; their code is bundled. */
const dependencies = ['zod'] as const;

/** What an app that deploys the service has, in versions that it chooses; others need none of it. */
export const peers = [
  ['aws-cdk-lib', '^2.276.0'],
  ['constructs', '^10.8.1'],
  ['aws-cdk', '^2.1148.1'],
] as const;

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
    peerDependencies: Object.fromEntries(peers),
    peerDependenciesMeta: Object.fromEntries(peers.map(([name]) => [name, { optional: true }])),
  };
}
