import * as z from 'zod/mini';
import { atEnd } from './use.ts';

/** Until the end of the file, schemas say what they say in bundles, also if another package has loaded texts for zod. */
export function usePlainMessages(): void {
  const { localeError } = z.config();
  z.config({ localeError: () => undefined });
  atEnd(() => z.config({ localeError }));
}
