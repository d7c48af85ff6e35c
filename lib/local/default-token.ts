/** The default organization and its API token, so that `npm start` needs no setup. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../shared/network/clock.ts';
import { ConfigError } from '../../shared/runtime/config/config.ts';
import { endOf } from '../../shared/store/api-tokens.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import type { Table } from '../../shared/store/table.ts';
import { TOKEN_FILE } from './data-files.ts';
import { replaceFile } from './replace-file.ts';

/** The organization that the first start creates. */
export const DEFAULT_ORGANIZATION = 'default';

export interface DefaultToken {
  /** Undefined if the token comes from `API_TOKEN`, because terminals and logs keep what is printed. */
  readonly token?: string;
  /** Why it differs from the token of the last start. */
  readonly replaces?: 'revoked' | 'expired' | undefined;
}

/**
 * Ensures that the default organization exists and has a valid token: the given token, otherwise the one in the data
 * folder, otherwise a new one, which is saved in a file that only its owner can read. A token that was revoked or has
 * expired does not become valid again.
 * @throws ConfigError if the given token was revoked, has expired or belongs to another organization.
 */
export async function defaultToken(
  table: Table,
  { folder, given, serviceLabel }: { folder: string; given: string; serviceLabel: string },
): Promise<DefaultToken> {
  const organizations = organizationStore(table);
  const now = systemClock.now();
  if ((await organizations.get(DEFAULT_ORGANIZATION)) === undefined) {
    await organizations.create('Default organization', now, DEFAULT_ORGANIZATION);
  }
  const issue = (token?: string) =>
    organizations.issueToken(
      DEFAULT_ORGANIZATION,
      { name: 'created by npm start', label: serviceLabel, ...(token === undefined ? {} : { token }) },
      now,
    );
  if (given !== '') {
    const info = await organizations.tokenInfo(given);
    if (info === undefined) {
      await issue(given);
      return {};
    }
    const end =
      info.organization === DEFAULT_ORGANIZATION
        ? endOf(info, now)
        : `a token of the organization ${info.organization}`;
    if (end === undefined) return {};
    throw new ConfigError(`API_TOKEN is ${end}: set another token, or unset it to have one created`);
  }
  const file = join(folder, TOKEN_FILE);
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const info = kept === '' ? undefined : await organizations.tokenInfo(kept);
  const end = info && endOf(info, now);
  if (info?.organization === DEFAULT_ORGANIZATION && end === undefined) return { token: kept };
  const token = await issue();
  replaceFile(file, `${token}\n`);
  return { token, replaces: end };
}
