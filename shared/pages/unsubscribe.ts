/** The page behind the link of a digest that turns it off. Opening it changes nothing, because scanners of mail open links. */
import { document } from './document.ts';
import { html } from './markup.ts';

export const unsubscribePage = ({ isOff }: { readonly isOff: boolean }): string =>
  document({
    title: isOff ? 'The digest is off' : 'Stop the digest?',
    description: 'Turn the digest of an organization off',
    main: isOff
      ? html`<h1>The digest is off</h1><p role="status">No further digest is sent to your address. Alerts are sent as before. To turn the digest on again, go to <a href="/console/settings#notifications">the settings</a>.</p>`
      : html`<h1>Stop the digest?</h1><p>The mail that led you here is sent every day or every week. Alerts are sent as before.</p>
<form class="trial" method="post"><button>Stop the digest</button></form>`,
  });
