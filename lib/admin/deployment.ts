/** What is known of the deployment that an operator's command is about: from the outputs of its stacks, flags and keys. */
import type { Config } from '../../shared/runtime/config.ts';
import {
  ADMIN_OUTPUT,
  type AdminEnvironment,
  type AdminKey,
  parseAdminEnvironment,
} from '../cloud/admin-output.ts';
import { CommandError } from '../local/command-line.ts';
import { readSettings } from '../local/settings.ts';
import { readStackOutputs, severalDeployments } from './stack-outputs.ts';

/** A setting of the service. @throws CommandError where nobody said what the service goes by. */
export type Setting = <Key extends AdminKey>(key: Key) => Config[Key];

/** What is deployed, and which of its settings are known. */
export interface Deployment {
  readonly table: string;
  readonly bucket: string | undefined;
  /** As the AWS SDK finds it, where undefined. */
  readonly region: string | undefined;
  readonly setting: Setting;
}

interface Flags {
  readonly outputs?: string | undefined;
  readonly table?: string | undefined;
  readonly bucket?: string | undefined;
}

/**
 * The deployment that flags name, if they name one. Its settings are those of the outputs, and without outputs those of
 * the environment: defaults of this machine would say nothing about it.
 * @throws CommandError for a file that cannot be read or tells of no deployment, ConfigError for malformed values.
 */
export async function deploymentOf(
  { outputs, table, bucket }: Flags,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Deployment | undefined> {
  const told = outputs === undefined ? undefined : await readDeployment(outputs);
  const name = table ?? told?.TABLE_NAME;
  if (name === undefined) return undefined;
  const known = { ...environment, ...told };
  const settings = readSettings(known);
  return {
    table: name,
    bucket: bucket ?? told?.MAIL_BUCKET,
    region: told?.AWS_REGION,
    setting(key) {
      if (!known[key])
        throw new CommandError(
          `${key} of the deployment is not known: give --outputs, or set it in the environment`,
        );
      return settings[key];
    },
  };
}

async function readDeployment(path: string): Promise<AdminEnvironment> {
  const [output, ...others] = (await readStackOutputs(path)).flatMap((stack) => stack[ADMIN_OUTPUT] ?? []);
  if (output === undefined)
    throw new CommandError(`${path} holds no ${ADMIN_OUTPUT}: deploy the service stack again`);
  if (others.length > 0) throw severalDeployments(path);
  const told = parseAdminEnvironment(output);
  if (told === undefined)
    throw new CommandError(`${path}: ${ADMIN_OUTPUT} is of another version: deploy again`);
  return told;
}
