/** What pages say about saved results. */
import { document } from './document.ts';
import { html } from './markup.ts';

/** How long a saved result is kept. */
export const KEPT = 'Its link works until nobody has opened it for 400 days.';

/** The body of the redirect to a saved result, for clients that do not follow it. */
export function savedPage(path: string): string {
  return document({
    title: 'Saved',
    description: 'The result was saved.',
    main: html`<section class="lone"><h1>Saved</h1><p class="lead"><a href="${path}">Open the saved result</a></p></section>`,
  });
}
