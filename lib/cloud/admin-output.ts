/** How the operator's commands are told of a deployment: an output of the service stack, for `npm run admin` to read. */
import * as z from 'zod/mini';
import { environmentSchema, readEnvironment } from '../../shared/runtime/config.ts';
import type { Environment } from './config.ts';

/** The settings that decide what the commands store, or refuse. */
const decisive = z.pick(environmentSchema, {
  REPORTS_DOMAIN: true,
  TESTER_DOMAIN: true,
  SERVICE_LABEL: true,
  RETENTION_DAYS: true,
  UNAUTHENTICATED_REPORTS: true,
});

export type AdminKey = keyof z.output<typeof decisive>;

const places = z.object({ AWS_REGION: z.string(), TABLE_NAME: z.string(), MAIL_BUCKET: z.string() });

/** A deployment as keys of an environment: where it is, and its settings, defaults among them. */
export type AdminEnvironment = z.output<typeof places> & Readonly<Record<AdminKey, string>>;

/** The name of the output, which holds an `AdminEnvironment` in JSON. */
export const ADMIN_OUTPUT = 'AdminSettings';

/** Places may be tokens of the CDK. */
export function adminEnvironment(
  where: z.output<typeof places>,
  environment: Environment,
): Readonly<Record<string, string>> {
  const settings = Object.entries(readEnvironment(decisive, environment));
  return { ...where, ...Object.fromEntries(settings.map(([key, value]) => [key, String(value)])) };
}

const texts = Object.fromEntries(Object.keys(decisive.shape).map((key) => [key, z.string()]));
const schema = z.object({ ...places.shape, ...texts });

/** The reverse; undefined where the text is something else, such as what an older version told. */
export function parseAdminEnvironment(json: string): AdminEnvironment | undefined {
  try {
    return schema.parse(JSON.parse(json)) as AdminEnvironment;
  } catch {
    return undefined;
  }
}
