/** How long the service and the browser take for what people do in the console: the stories of `test/kit/stories.ts`. */

import { widths } from '../docs/screenshot-pages.ts';
import { hasChromium, launchChromium } from '../kit/browser.ts';
import { bootService } from '../kit/service.ts';
import { prepareStories, stories, tell } from '../kit/stories.ts';
import type { BenchRow } from './row.ts';

/** Takes a minute. */
export async function benchStories(): Promise<readonly BenchRow[]> {
  if (!hasChromium()) return [{ name: 'Stories', value: 'skipped: no Chromium', goal: '', met: null }];
  const service = await bootService({ TOOL_RATE_PER_MINUTE: '0' });
  const browser = await launchChromium();
  try {
    await prepareStories(service);
    const rows: BenchRow[] = [];
    for (const story of stories) {
      const told = [];
      for (const width of widths) told.push(await tell(story, { browser, service, width }));
      const seconds = told.map((one) => one.seconds);
      rows.push({
        name: `Story: ${story.name}`,
        value: `${story.clicks} clicks, ${widths.map((width, at) => `${seconds[at]?.toFixed(1)} s at ${width} pixels`).join(', ')}`,
        goal: `at most ${story.seconds} s`,
        met: seconds.every((one) => one <= story.seconds),
      });
    }
    return rows;
  } finally {
    await browser.close();
    await service.remove();
  }
}
