// What the list of causes and findings shows, for the tests that look at it.

// A text of the program as the page shows it: code without its backticks.
export const plain = (text) => text.replaceAll('`', '');

// Shows all that is folded in the list of causes.
export async function unfold(page) {
  for (;;) {
    const folded = await page.$('.findings [aria-expanded=false] .twist');
    if (!folded) return;
    await folded.click();
  }
}

export const selected = (page) => page.$$eval('.findings [aria-selected=true]', (list) => list.map((item) => item.id));
