import type { Smtp } from './ports.ts';

/**
 * The Smtp of an installation that cannot dial port 25, as in most clouds: every probe fails immediately with that
 * reason.
 */
export const smtpOff: Smtp = {
  probe: async ({ hostname, address }) => ({
    status: 'unavailable',
    reason: 'not-dialled',
    detail: 'this installation does not dial port 25',
    evidence: { hostname, address, milliseconds: 0 },
  }),
};
