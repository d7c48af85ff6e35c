/** Requests and responses of the token endpoints. */
import * as z from 'zod/mini';
import { tokenScope } from '../alerts/token-scope.ts';
import { formatPrefix, parseNetwork } from '../protocol/ip.ts';
import { oneLine } from '../protocol/one-line.ts';
import { described, timestamp, uuid, withKeywords } from '../protocol/schema.ts';
import type { TokenInfo } from '../store/api-tokens.ts';
import { jsonObject } from './json-object.ts';

const MAX_NAME = 200;
const MAX_NETWORKS = 50;

const network = withKeywords(
  z.pipe(
    z.pipe(
      z.string('must be a string'),
      z.transform((text) => {
        const prefix = parseNetwork(text);
        return prefix === undefined ? '' : formatPrefix(prefix);
      }),
    ),
    z.string().check(z.minLength(1, 'must be an IP address or a network such as 192.0.2.0/24')),
  ),
  { pattern: '^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$' },
);

export const createTokenBody = jsonObject({
  name: described(oneLine(MAX_NAME), 'What the token is for', 'Nightly export'),
  scope: z._default(tokenScope, 'read'),
  expiresAt: described(
    z.optional(z.nullable(timestamp)),
    'When the token stops working; by default, and at the latest, when the token of the request does; `null`: never',
    '2099-12-31T23:59:59.000Z',
  ),
  networks: described(
    z.optional(
      z
        .array(network, 'must be an array')
        .check(z.maxLength(MAX_NETWORKS, `must not have more than ${MAX_NETWORKS} networks`)),
    ),
    'The IP addresses and networks from which the token can be used; an empty list: all. By default those of the token of the request, and always within them',
    ['192.0.2.0/24'],
  ),
});

export const token = z.object({
  id: described(uuid, 'ID of the token'),
  name: described(z.string(), 'What the token is for', 'Nightly export'),
  scope: tokenScope,
  expiresAt: described(
    z.nullable(timestamp),
    'When the token stops working; `null`: never',
    '2027-01-30T00:00:00.000Z',
  ),
  lastUsedOn: described(
    z.nullable(z.iso.date()),
    'The last day (UTC) on which the token was used; `null` if it was not used yet',
  ),
  networks: described(
    z.array(z.string()),
    'The IP addresses and networks from which the token can be used; if empty, from anywhere',
    ['192.0.2.0/24'],
  ),
  createdAt: described(timestamp, 'When the token was created'),
  createdBy: described(
    z.nullable(uuid),
    'ID of the token that created it, through the API or the console; `null`: an operator did',
    null,
  ),
});

/** Revoking a token can revoke what it created. */
export const deleteTokenQuery = z.object({
  created: described(
    z.optional(z.literal('revoke', 'must be "revoke"')),
    '`revoke`: also revoke the tokens that it created and remove the members that it invited, with what these created, and so on, except who asks; the token itself can be revoked already',
    'revoke',
  ),
});

export const createdToken = z.object({
  ...token.shape,
  token: described(
    z.string(),
    'The token itself, which is shown only in this response',
    'svc_5f2c8e0b7a914d36b1e4f7a2c3d60985',
  ),
});

/** A token in responses, without its hash. */
export function showToken(
  { id, name, scope, expiresAt, networks, createdAt, creators }: TokenInfo,
  lastUsedOn: string | null,
): z.output<typeof token> {
  const [createdBy = null] = creators;
  return { id, name, scope, expiresAt, lastUsedOn, networks, createdAt, createdBy };
}
