/** Routes of badges, which other sites embed. */
import * as z from 'zod/mini';
import { badgeFilePath } from '../../shared/api/badges.ts';
import { named } from '../route-kinds.ts';

export const routes = named({
  getBadge: {
    method: 'GET',
    path: '/badge/{file}',
    handler: 'badges/show',
    access: 'public',
    // Badges are embedded in other sites, and image proxies that fetch for many users would soon reach a limit.
    rate: 'none',
    summary: 'Get the badge of a domain: an image of its grade and score, if its owner enabled it',
    description: 'The URL is the `badgeUrl` of the domain. Caches may keep the image for five minutes.',
    errorImpact: 'Badges are missing on the pages that embed them.',
    timeoutSeconds: 10,
    memoryMegabytes: 256,
    request: { path: badgeFilePath },
    success: {
      status: 200,
      description: 'The badge',
      envelope: 'bare',
      schema: z.string(),
      contentType: 'image/svg+xml',
      example: '<svg xmlns="http://www.w3.org/2000/svg" width="140" height="20" role="img"></svg>',
      freshSeconds: 300,
    },
    errors: ['not_found', 'internal'],
    uses: ['badges:read', 'organizations:read'],
  },
});
