/** The default organization and its API token, so that `npm start` needs no setup. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../shared/network/clock.ts';
import { auditEntries } from '../../../shared/operations/audit.ts';
import { operatorFor } from '../../../shared/operations/operation.ts';
import { Refused } from '../../../shared/operations/outcome.ts';
import { createToken, operation } from '../../../shared/operations/tokens/create-token.ts';
import { ConfigError } from '../../../shared/runtime/config/config.ts';
import { notificationSettingsStore } from '../../../shared/store/alerts/notification-settings.ts';
import { endOf, type TokenInfo } from '../../../shared/store/api-tokens.ts';
import { recordAudit } from '../../../shared/store/audit.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import type { Table } from '../../../shared/store/table.ts';
import { TOKEN_FILE } from './data-files.ts';
import { replaceFile } from './replace-file.ts';

/** The organization that `npm start` creates. */
export const ORGANIZATION = 'default';

export interface DefaultToken {
  /** Undefined if the token comes from `API_TOKEN`, because terminals and logs keep what is printed. */
  readonly token?: string;
  readonly info: TokenInfo;
  /** Why it differs from the token of the last start. */
  readonly replaces?: 'revoked' | 'expired' | undefined;
}

interface TokenSettings {
  readonly folder: string;
  /** The token that the environment gives; empty for none. */
  readonly given: string;
  readonly serviceLabel: string;
  /** For how long the entry of the audit log about a new token is kept. */
  readonly retentionDays: number;
}

/**
 * Ensures that the default organization exists and has a valid token: the given token, otherwise the one in the data
 * folder, otherwise a new one, which is saved in a file that only its owner can read. A token that was revoked or has
 * expired does not become valid again.
 * @throws ConfigError if the given token was revoked, has expired or belongs to another organization.
 */
export async function defaultToken(
  table: Table,
  { folder, given, serviceLabel, retentionDays }: TokenSettings,
): Promise<DefaultToken> {
  const organizations = organizationStore(table);
  const now = systemClock.now();
  if ((await organizations.get(ORGANIZATION)) === undefined) {
    await organizations.create('Default organization', now, ORGANIZATION);
  }
  const caller = operatorFor(ORGANIZATION);
  const issue = async (token?: string) => {
    const outcome = await createToken(
      caller,
      { name: 'created by npm start', scope: 'admin' },
      {
        ...{ organizations, notifications: notificationSettingsStore(table), clock: systemClock },
        ...{ label: serviceLabel, token },
      },
    );
    if (outcome instanceof Refused) throw new ConfigError(outcome.message);
    const entries = auditEntries(operation, caller, outcome.subjects ?? [], now);
    await recordAudit(table, ORGANIZATION, entries, retentionDays);
    return outcome.value;
  };
  if (given !== '') {
    const info = await organizations.tokenInfo(given);
    if (info === undefined) return { info: (await issue(given)).info };
    const end =
      info.organization === ORGANIZATION
        ? endOf(info, now)
        : `a token of the organization ${info.organization}`;
    if (end === undefined) return { info };
    throw new ConfigError(`API_TOKEN is ${end}: set another token, or unset it to have one created`);
  }
  const file = join(folder, TOKEN_FILE);
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const info = kept === '' ? undefined : await organizations.tokenInfo(kept);
  const end = info && endOf(info, now);
  if (info?.organization === ORGANIZATION && end === undefined) return { token: kept, info };
  const issued = await issue();
  replaceFile(file, `${issued.token}\n`);
  return { ...issued, replaces: end };
}
