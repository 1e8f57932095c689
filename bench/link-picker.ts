/**
 * `npm run bench:picker`: whether the link picker ever takes a record that was not typed. Types names at 20 to
 * 120 ms per key into a Link, a Dynamic Link and a cell, and ends with Enter, Tab or the arrow key and Enter.
 * Prints the wrong and the missing choices; exits with 1 if there is a wrong one. `--runs 12 --seed 7`.
 */
import { parseArgs } from 'node:util';
import { openAdminPage } from '../test/browser/support/admin-page.ts';
import { makeCompanies, pickOnce, plannedPicks } from '../test/browser/support/picker-runs.ts';
import { startStorySite } from '../test/browser/support/story-site.ts';
import { Windows } from '../test/browser/support/windows.ts';
import { NO_BROWSER, startBrowser } from '../test/support/browser.ts';

const { values: flags } = parseArgs({
  options: { runs: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});

if (NO_BROWSER) {
  console.error(String(NO_BROWSER));
  process.exit(1);
}
const site = await startStorySite();
const browser = await startBrowser();
let wrong = 0;
let missing = 0;
const plans = plannedPicks(Number(flags.runs), Number(flags.seed));
try {
  await makeCompanies(site);
  const { page, close } = await openAdminPage(new Windows(browser), site, { patience: 60_000 });
  for (const [at, plan] of plans.entries()) {
    const chosen = await pickOnce(page, plan);
    if (chosen === plan.company) continue;
    if (chosen === '') missing += 1;
    else wrong += 1;
    console.log(`run ${at + 1}: ${JSON.stringify(plan)} took ${JSON.stringify(chosen)}`);
  }
  await close();
} finally {
  await browser.close();
  await site.stop();
}
console.log(`${plans.length} runs: ${wrong} wrong, ${missing} without a choice`);
process.exitCode = wrong > 0 ? 1 : 0;
