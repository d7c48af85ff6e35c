/** The body of the redirect to a saved result, for clients that do not follow it. */
import { document } from './document.ts';
import { html } from './markup.ts';

export function savedPage(path: string): string {
  return document({
    title: 'Saved',
    description: 'The result was saved.',
    main: html`<section class="lone"><h1>Saved</h1><p class="lead"><a href="${path}">Open the saved result</a></p></section>`,
  });
}
