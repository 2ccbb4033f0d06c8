/* Measures the program's work on downloaded data; see work_on_data.h. */
#include "analyzer/savings/plan/work_on_data.h"

#include "analyzer/base/numbers.h"
#include "analyzer/savings/plan/statement.h"

/* The interpreter and a library take this long from one call of the driver to the next one, if they do nothing else;
 * measured for CuPy (tests/bench/results/savings.md). */
enum { USUAL_STATEMENT_NS = 20000 };

int64_t xs_plan_work_before(const struct xs_plan *plan, uint32_t call) {
    int64_t own =
        xs_model_gives_work(&plan->model->calls[call]) ? xs_statement_overhead(plan, call, XS_ASYNC_CALL_NS) : 0;
    int64_t stays = own < USUAL_STATEMENT_NS ? own : USUAL_STATEMENT_NS;
    return xs_later(0, xs_statement_gap(plan, call) - stays);
}

int64_t xs_plan_work_on_data(const struct xs_plan *plan, uint32_t download, uint32_t *next) {
    int64_t work = 0;
    *next = xs_plan_reader(plan, download);
    while ((*next = plan->model->calls[*next].next) != XS_PLAN_NONE) {
        work = xs_model_ns(work + xs_plan_work_before(plan, *next));
        if (xs_model_gives_work(&plan->model->calls[*next]))
            break;
    }
    return work;
}
