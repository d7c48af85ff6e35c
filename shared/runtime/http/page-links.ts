import { config } from '../config/config.ts';
import type { EndpointEvent } from './endpoint-event.ts';
import type { Reply } from './reply.ts';

/** The header `Link` of a page of a list (RFC 8288). */
export function pageLinks(
  { rawPath, rawQueryString }: Pick<EndpointEvent, 'rawPath' | 'rawQueryString'>,
  { pagination }: Pick<Reply, 'pagination'>,
): Record<string, string> {
  if (pagination === undefined) return {};
  const { page, hasMore, nextPageToken } = pagination;
  const given = new URLSearchParams(rawQueryString);
  const link = (relation: string, change: { readonly page: number } | { readonly pageToken: string }) => {
    const query = new URLSearchParams(given);
    query.delete('page' in change ? 'pageToken' : 'page');
    for (const [name, value] of Object.entries(change)) query.set(name, String(value));
    return `<${config().HOST_URL}${rawPath}?${query}>; rel="${relation}"`;
  };
  const links = [
    ...(page > 1 ? [link('first', { page: 1 })] : []),
    // What was before a position is not known.
    ...(page > 1 && !given.has('pageToken') ? [link('prev', { page: page - 1 })] : []),
    ...(hasMore
      ? [link('next', nextPageToken === undefined ? { page: page + 1 } : { pageToken: nextPageToken })]
      : []),
  ];
  return links.length === 0 ? {} : { link: links.join(', ') };
}
