/** Clients in TypeScript, Python, Go and Java, generated from the OpenAPI document and used for the same story. */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { adminInProcess } from '../kit/admin.ts';
import { fromNpm, fromPip } from '../kit/outside-packages.ts';
import { type BootedService, bootService } from '../kit/service.ts';
import { atEnd, useFolder } from '../kit/use.ts';

const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const OAPI_RUNTIME = 'github.com/oapi-codegen/runtime@v1.9.0';
const JAVA_GENERATOR = 'org.openapitools:openapi-generator-cli:7.25.0';

/** Compilers and downloads take their time. */
const PATIENCE_MILLISECONDS = 600_000;

const stories = fileURLToPath(new URL('clients/', import.meta.url));
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const compilerOptions = [
  ...['--strict', '--target', 'es2022', '--lib', 'es2023,dom', '--types', '', '--module', 'nodenext'],
  ...['--allowImportingTsExtensions', '--rewriteRelativeImportExtensions'],
];
const tools = join(tmpdir(), 'domain-monitor-client-tools');
const typescript = await fromNpm(['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0']);
const python = await fromPip(['openapi-python-client==0.29.1']);
const missing = {
  typescript: 'missing' in typescript ? typescript.missing : undefined,
  python: 'missing' in python ? python.missing : undefined,
  go: await installed('go', ['install', OAPI_CODEGEN], join(tools, 'bin/oapi-codegen')),
  java: (await isAvailable('javac', ['-version']))
    ? await installed('mvn', mavenCopy(JAVA_GENERATOR), join(tools, 'openapi-generator-cli-7.25.0.jar'))
    : 'no javac',
};

/** What each story finds. */
const told = {
  ...{ verified: true, checked: 'absent', score: true, reports: true, approved: 'approved', simulated: true },
  ...{ zone: true, fixes: true, preview: true, mail: 'a@example.org', alerts: true, batch: [409, 201] },
};

let folder: string;
let document: string;
let service: BootedService;
beforeAll(async () => {
  folder = useFolder('clients');
  document = join(folder, 'openapi.json');
  service = await bootService({ API_RATE_PER_MINUTE: '0' });
  expect((await adminInProcess(['demo'], { DATA_DIR: service.dataDir })).code).toBe(0);
  writeFileSync(document, await (await fetch(`${service.url}/api/openapi.json`)).text());
}, PATIENCE_MILLISECONDS);
atEnd(() => service?.remove());

function goEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, GOPATH: tools, GOCACHE: join(tools, 'cache'), GOFLAGS: '-modcacherw -mod=mod' };
}

function mavenCopy(artifact: string): string[] {
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy';
  return ['-q', '-B', plugin, `-Dartifact=${artifact}`, `-DoutputDirectory=${tools}`];
}

async function isAvailable(program: string, args: readonly string[]): Promise<boolean> {
  return promisify(execFile)(program, args).then(
    () => true,
    () => false,
  );
}

/** Why a tool is not available; undefined if it is, which `makes` shows. It is kept for the next run. */
async function installed(
  program: string,
  args: readonly string[],
  makes: string,
): Promise<string | undefined> {
  if (existsSync(makes)) return undefined;
  mkdirSync(tools, { recursive: true });
  const options = { timeout: PATIENCE_MILLISECONDS, env: goEnvironment(), cwd: tools };
  await promisify(execFile)(program, args, options).catch(() => undefined);
  return existsSync(makes) ? undefined : `${program} ${args.at(-1)} failed`;
}

/** Runs a program in a folder. Returns what it prints. @throws Error with its output */
async function run(
  cwd: string,
  program: string,
  args: readonly string[],
  env = process.env,
): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { cwd, env, maxBuffer: 2 ** 26 })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}\n${stdout.slice(-4000)}${stderr.slice(-4000)}`, {
      cause: error,
    });
  }
}

const target = (language: string) => [service.url, service.token, `client-${language}.test`];

const clientTest = (language: keyof typeof missing, tell: () => Promise<string>) =>
  (missing[language] === undefined ? test : test.skip)(
    missing[language] === undefined ? language : `${language} (skipped: ${missing[language]})`,
    async () => expect(JSON.parse(await tell())).toEqual(told),
    PATIENCE_MILLISECONDS,
  );

/** It formats code with a program that is not here, and knows few types of files. */
const pythonConfig = {
  post_hooks: [],
  content_type_overrides: Object.fromEntries(
    ['message/rfc822', 'image/svg+xml', 'image/png', 'application/jsonl'].map((type) => [
      type,
      'application/octet-stream',
    ]),
  ),
};

describe('a generated client works in', () => {
  clientTest('typescript', async () => {
    const packages = 'missing' in typescript ? '' : join(typescript.folder, 'node_modules');
    const project = join(folder, 'typescript');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"type": "module"}');
    symlinkSync(packages, join(project, 'node_modules'), 'junction');
    const generator = join(packages, 'openapi-typescript/bin/cli.js');
    const generate = [document, '-o', 'api.ts', '--default-non-nullable=false'];
    await run(project, process.execPath, [generator, ...generate]);
    copyFileSync(join(stories, 'story.ts'), join(project, 'story.ts'));
    await run(project, process.execPath, [tsc, ...compilerOptions, '--outDir', 'out', 'story.ts']);
    return run(project, process.execPath, ['out/story.js', ...target('typescript')]);
  });

  clientTest('python', async () => {
    const packages = 'missing' in python ? '' : python.folder;
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: packages };
    const into = join(folder, 'email_domain_security_monitor_client');
    const config = join(folder, 'python.json');
    writeFileSync(config, JSON.stringify(pythonConfig));
    const generate = ['generate', '--config', config, '--path', document, '--output-path', into];
    const strictly = ['--meta', 'none', '--fail-on-warning'];
    await run(folder, 'python3', ['-m', 'openapi_python_client', ...generate, ...strictly], env);
    const client = { ...env, PYTHONPATH: [folder, packages].join(delimiter) };
    return run(folder, 'python3', ['-W', 'error', join(stories, 'story.py'), ...target('python')], client);
  });

  clientTest('go', async () => {
    const env = goEnvironment();
    const module = join(folder, 'go');
    mkdirSync(join(module, 'monitor'), { recursive: true });
    const generate = ['-generate', 'types,client,skip-prune', '-package', 'monitor', document];
    const code = await run(folder, join(tools, 'bin/oapi-codegen'), generate, env);
    writeFileSync(join(module, 'monitor/monitor.gen.go'), code);
    copyFileSync(join(stories, 'main.go'), join(module, 'main.go'));
    await run(module, 'go', ['mod', 'init', 'story'], env);
    await run(module, 'go', ['get', OAPI_RUNTIME], env);
    await run(module, 'go', ['mod', 'tidy'], env);
    await run(module, 'go', ['vet', './...'], env);
    return run(module, 'go', ['run', '.', ...target('go')], env);
  });

  clientTest('java', async () => {
    const project = join(folder, 'java');
    const options = [
      // What the service does not expect is left out of requests.
      ...['openApiNullable=false', 'containerDefaultToNull=true', 'useSingleRequestParameter=true'],
      // Later releases may add fields.
      'disallowAdditionalPropertiesIfNotPresent=false',
    ];
    const jar = join(tools, 'openapi-generator-cli-7.25.0.jar');
    const generate = [
      '-g',
      'java',
      '-i',
      document,
      '-o',
      project,
      `--additional-properties=${options.join(',')}`,
    ];
    const only = ['--global-property', 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'];
    await run(folder, 'java', ['-jar', jar, 'validate', '-i', document]);
    await run(folder, 'java', ['-jar', jar, 'generate', ...generate, ...only]);
    copyFileSync(join(stories, 'Story.java'), join(project, 'src/main/java/Story.java'));
    const goals = ['compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'];
    await run(project, 'mvn', ['-q', '-B', '-DskipTests', ...goals]);
    const classpath = ['target/classes', readFileSync(join(project, 'classpath'), 'utf8')].join(delimiter);
    return run(project, 'java', ['-cp', classpath, 'Story', ...target('java')]);
  });
});
