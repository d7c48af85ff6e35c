import type { WebPoster } from '../../network/ports.ts';
import { createWeb } from '../../network/web.ts';
import { config } from '../config/config.ts';
import { readAuthorities } from './check-context.ts';
import { guardedDialer } from './guarded-dialer.ts';

/** Sends POST requests to user-supplied hosts. */
export const webPoster = (): WebPoster =>
  createWeb({ dialer: guardedDialer(), extraCa: readAuthorities('EXTRA_CA_FILE', config()) });
