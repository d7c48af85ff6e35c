/**
 * Positions in lists: with the `nextPageToken` of a page, the next one begins after its last row, whatever was written or removed
 * since. A token is signed, and is one of its list, organization and filters only.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import type { ItemStore } from '../../store/items.ts';
import { pageKey } from '../../store/page-key.ts';
import type { Continuable, PageAfter } from '../../store/query.ts';
import { invalidRequest } from './errors.ts';
import type { Pagination } from './reply.ts';
import type { Route } from './route.ts';

/** A request for a page of a list. */
interface ListRequest {
  readonly organization: string;
  readonly path?: unknown;
  readonly query: { readonly page: number; readonly limit: number; readonly pageToken?: string | undefined };
}

/** Where a page begins. */
interface Place extends PageAfter {
  /** What tokens of the list depend on. */
  readonly list: string;
}

export type PageTokens = ReturnType<typeof pageTokens>;

export function pageTokens(table: Pick<ItemStore, 'get' | 'update'>) {
  let known: Buffer | undefined;
  const key = async () => {
    known ??= await pageKey(table);
    return known;
  };
  return {
    /** Where the page of a request begins. @throws ServiceError for a token that is not one of this list. */
    async placeOf({ name }: Pick<Route, 'name'>, { organization, path, query }: ListRequest): Promise<Place> {
      const { page, limit, pageToken, ...filters } = query;
      const wanted = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1));
      const list = JSON.stringify([name, organization, path, wanted]);
      if (pageToken === undefined) return { list, page, limit };
      const position = readToken(pageToken, list, await key());
      if (position === undefined)
        throw invalidRequest({
          path: 'query.pageToken',
          message: 'must be the nextPageToken of a page of the same list with the same filters',
        });
      return { list, limit, ...position };
    },

    /** What a response says about the page that begins at a place. */
    async paginationOf({ list, page, limit }: Place, { hasMore, last }: Continuable): Promise<Pagination> {
      if (!hasMore || last === undefined) return { page, limit, hasMore };
      const nextPageToken = tokenOf({ page: page + 1, after: last }, list, await key());
      return { page, limit, hasMore, nextPageToken };
    },
  };
}

/** The number of a page, for people, and the position of the row before it. */
const position = z.object({ page: z.int(), after: z.string() });

type Position = z.infer<typeof position>;

const MAC_OCTETS = 16;

const macOf = (content: Buffer, list: string, key: Buffer): Buffer =>
  createHmac('sha256', key).update(list).update('\n').update(content).digest().subarray(0, MAC_OCTETS);

function tokenOf(at: Position, list: string, key: Buffer): string {
  const content = Buffer.from(JSON.stringify(at));
  return Buffer.concat([macOf(content, list, key), content]).toString('base64url');
}

/** Undefined for a token that was not made for the list. */
function readToken(token: string, list: string, key: Buffer): Position | undefined {
  const octets = Buffer.from(token, 'base64url');
  const [mac, content] = [octets.subarray(0, MAC_OCTETS), octets.subarray(MAC_OCTETS)];
  const right = macOf(content, list, key);
  if (mac.length !== right.length || !timingSafeEqual(mac, right)) return undefined;
  return z.parse(position, JSON.parse(content.toString('utf8')));
}
