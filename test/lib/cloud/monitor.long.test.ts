/** The service in a CDK app of somebody else. */
import { rmSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { EmailDomainSecurityMonitor } from '../../../lib/cloud/monitor.ts';
import { packagedBundles } from '../../../lib/cloud/packaged-bundles.ts';
import { Deployed } from './deployed.ts';
import { anyCode, prod, synthesize } from './synthesize.ts';

/** Another decision about a flag, which the service must not notice. */
const foreign = { '@aws-cdk/aws-iam:minimizePolicies': false };

function appWith(make: (app: App) => void) {
  const app = new App({ context: foreign, stackTraces: false, treeMetadata: false });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  make(app);
  const assembly = app.synth();
  try {
    return new Map(
      assembly.nestedAssemblies.map(({ nestedAssembly }) => [
        nestedAssembly.directory.replace(/.*assembly-/, ''),
        new Deployed(nestedAssembly),
      ]),
    );
  } finally {
    rmSync(assembly.directory, { recursive: true });
  }
}

/** As text, with dependencies in one order: the CDK sorts them by paths, which have the stage in them. */
const templatesOf = ({ templates }: Deployed) =>
  [...templates].map(([name, template]) => [
    name,
    JSON.stringify(
      template,
      (key, value) => (key === 'DependsOn' && Array.isArray(value) ? value.toSorted() : value),
      1,
    ),
  ]);

test('a stage has the stacks, names and logical IDs of `npm run deploy`, and two are apart', () => {
  const env = { region: 'eu-west-1' };
  const stages = appWith((app) => {
    new EmailDomainSecurityMonitor(app, 'Production', { env, ...prod }, anyCode);
    const staging = { stage: 'staging', reportsDomain: 'reports.acme.net', testerDomain: 'tester.acme.net' };
    new EmailDomainSecurityMonitor(app, 'Staging', { env, ...staging }, anyCode);
  });
  const deployed = synthesize({ ...prod, ...env });
  const production = stages.get('Production');
  expect(production && templatesOf(production)).toEqual(templatesOf(deployed));
  const names = [...(stages.get('Staging')?.templates.keys() ?? [])];
  expect(names).toEqual([...deployed.templates.keys()].map((name) => name.replace('-prod-', '-staging-')));
});

test('a setting that does not exist is refused, and so is a checkout without bundles', () => {
  const app = new App();
  const wrong = { ...prod, domainLimit: -1 };
  expect(() => new EmailDomainSecurityMonitor(app, 'Wrong', wrong, anyCode)).toThrow(/^domainLimit must be/);
  expect(() => packagedBundles()).toThrow('the functions are not built');
});
