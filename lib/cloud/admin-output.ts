/** The stack output that describes a deployment to the operator commands (`npm run admin`). */
import * as z from 'zod/mini';
import { environmentSchema, readEnvironment } from '../../shared/runtime/config/config.ts';
import type { Environment } from './settings.ts';

/** The settings that affect what the commands store, reject or say. */
const decisive = z.pick(environmentSchema, {
  REPORTS_DOMAIN: true,
  FORMER_REPORTS_DOMAINS: true,
  TESTER_DOMAIN: true,
  FORMER_TESTER_DOMAINS: true,
  SERVICE_LABEL: true,
  ALERT_SENDER: true,
  RETENTION_DAYS: true,
  UNAUTHENTICATED_REPORTS: true,
  DOMAIN_LIMIT: true,
  SCORE_THRESHOLD: true,
  CHECK_INTERVAL_SECONDS: true,
});

export type AdminKey = keyof z.output<typeof decisive>;

const places = z.object({
  AWS_REGION: z.string(),
  TABLE_NAME: z.string(),
  MAIL_BUCKET: z.string(),
  SECRETS_KEY: z.string(),
});

/** A deployment as environment variables: its region and resources, and its settings including defaults. */
export type AdminEnvironment = z.output<typeof places> & Readonly<Record<AdminKey, string>>;

/** The name of the output, whose value is an `AdminEnvironment` as JSON. */
export const ADMIN_OUTPUT = 'AdminSettings';

/** The values of `where` can be CDK tokens. */
export function adminEnvironment(
  where: z.output<typeof places>,
  environment: Environment,
): Readonly<Record<string, string>> {
  const settings = Object.entries(readEnvironment(decisive, environment));
  return { ...where, ...Object.fromEntries(settings.map(([key, value]) => [key, String(value)])) };
}

const texts = Object.fromEntries(Object.keys(decisive.shape).map((key) => [key, z.string()]));
const schema = z.object({ ...places.shape, ...texts });

/** Parses the output; undefined if it has another format, such as that of an older version. */
export function parseAdminEnvironment(json: string): AdminEnvironment | undefined {
  try {
    return schema.parse(JSON.parse(json)) as AdminEnvironment;
  } catch {
    return undefined;
  }
}
