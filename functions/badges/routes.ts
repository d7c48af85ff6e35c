/** Badges of domains, for pages of others. */
import * as z from 'zod/mini';
import { badgeFilePath } from '../../shared/api/badges.ts';
import type { Route } from '../../shared/runtime/route.ts';

export const routes = {
  getBadge: {
    name: 'getBadge',
    method: 'GET',
    path: '/badge/{file}',
    handler: 'badges/show',
    access: 'public',
    // It stands on pages of others, and those who fetch images for many readers would soon be at a limit.
    rate: 'none',
    summary: 'Grade and score of a domain as an image, where its owner turned it on',
    errorImpact: 'Badges are missing on the pages that show them.',
    timeoutSeconds: 10,
    memoryMegabytes: 256,
    request: { path: badgeFilePath },
    success: {
      status: 200,
      description: 'The badge',
      envelope: 'bare',
      schema: z.string(),
      contentType: 'image/svg+xml',
      freshSeconds: 300,
    },
    errors: ['not_found', 'internal'],
    uses: ['table:read'],
    partitions: ['BADGE#', 'ORG#'],
  },
} as const satisfies Record<string, Route>;
