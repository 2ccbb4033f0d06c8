# The numbers of `run` as Markdown: medians over the repetitions, and the difference to bare or to CUPTI alone.
# Input: repetition, configuration, metric, unit, median, mean. Variable: configs, in their order.
FNR == 1 { next }
{
    key = $2 SUBSEP $3
    value[key, ++count[key]] = $5
    unit[$3] = $4
}

# Sorts value[key, 1..n]; n is small.
function sort_values(key, i, j, x) {
    if (sorted[key])
        return
    sorted[key] = 1
    for (i = 2; i <= count[key]; i++) {
        x = value[key, i] + 0
        for (j = i - 1; j > 0 && value[key, j] + 0 > x; j--)
            value[key, j + 1] = value[key, j]
        value[key, j + 1] = x
    }
}
function has(config, metric) { return count[config, metric] > 0 }
function median(config, metric, key, n) {
    key = config SUBSEP metric
    n = count[key]
    if (!n)
        return 0
    sort_values(key)
    return (value[key, int((n + 1) / 2)] + value[key, int((n + 2) / 2)]) / 2
}
function least(config, metric) { sort_values(config SUBSEP metric); return value[config, metric, 1] }
function most(config, metric) { sort_values(config SUBSEP metric); return value[config, metric, count[config, metric]] }

function number(x, u) {
    return sprintf(u == "us" || u == "ms" && x < 10 ? "%.2f" : u == "ns" || u == "" ? "%.0f" : "%.1f", x)
}
# A difference of us is shown in ns, any other in its own unit.
function difference(x, u) { return u == "us" ? sprintf("%+.0f ns", x * 1000) : sprintf("%+.1f %s", x, u) }

function header(first, columns, rule, i, n, list) {
    n = split(columns, list, "|")
    printf "\n| %s |", first
    rule = "|---|"
    for (i = 1; i <= n; i++) {
        printf " %s |", list[i]
        rule = rule "---:|"
    }
    print "\n" rule
}

function compare_row(text, metric, i, u) {
    u = unit[metric]
    if (!has("bare", metric))
        return
    printf "| %s, %s | %s | %s-%s |", text, u, number(median("bare", metric), u),
        number(least("bare", metric), u), number(most("bare", metric), u)
    for (i = 2; i <= n_configs; i++) {
        if (has(list_of_configs[i], metric))
            printf " %s (%s) |", number(median(list_of_configs[i], metric), u),
                difference(median(list_of_configs[i], metric) - median("bare", metric), u)
        else
            printf " |"
    }
    printf "\n"
}

function wrapper_row(text, metric, i, c) {
    if (!has("bare", "wrapper." metric ".added"))
        return
    printf "| %s |", text
    printf " %s |", number(median("bare", "wrapper." metric ".real"), "ns")
    for (i = 1; i <= n_configs; i++) {
        c = list_of_configs[i]
        if (is_ours(c) || c == "bare")
            printf " %s (%s to %s) |",
                number(median(c, "wrapper." metric ".added"), "ns"),
                number(least(c, "wrapper." metric ".added"), "ns"),
                number(most(c, "wrapper." metric ".added"), "ns")
    }
    printf "\n"
}

function arguments_row(text, metric) {
    metric = "arguments." metric
    if (has("bare", metric))
        printf "| %s | %s | %s-%s |\n", text, number(median("bare", metric), "ns"),
            number(least("bare", metric), "ns"), number(most("bare", metric), "ns")
}

function cost_row(text, metric, i, c) {
    printf "| %s%s |", text, (unit[metric] == "" ? "" : ", " unit[metric])
    for (i = 2; i <= n_configs; i++) {
        c = list_of_configs[i]
        if (is_ours(c))
            printf " %s |", (has(c, metric) ? number(median(c, metric), unit[metric]) : "")
    }
    printf "\n"
}

function contents_row(text, metric, i, c) {
    metric = "contents." metric
    if (!has("bare", metric))
        return
    printf "| %s | %s |", text, number(median("bare", metric), "us")
    for (i = 2; i <= n_configs; i++) {
        c = list_of_configs[i]
        if (has(c, metric))
            printf " %.3f (%s) |", median(c, metric) / median("bare", metric),
                difference(median(c, metric) - median("bare", metric), "us")
    }
    printf "\n"
}
function contents_titles(i, c, s) {
    for (i = 2; i <= n_configs; i++) {
        c = list_of_configs[i]
        if (has(c, "contents.h2d_1m"))
            s = s "|" title[c]
    }
    return s
}
function ratio_verdict(text, metric, config, limit, x) {
    metric = "contents." metric
    if (!has(config, metric) || !has("bare", metric))
        return
    x = median(config, metric) / median("bare", metric)
    printf "| %s | %s, times bare | %.2f | %.3f | %s |\n", text, title[config], limit, x,
        (x <= limit ? "within" : "**over**")
}

function is_ours(c) {
    return c == "asleep" || c == "off" || c == "stacks" || c == "copies" || c == "kernels" || c == "auto" || c == "all"
}
function titles(all, i, c, s) {
    for (i = 2; i <= n_configs; i++) {
        c = list_of_configs[i]
        if (all || is_ours(c))
            s = s (s == "" ? "" : "|") title[c]
    }
    return s
}

# What is expected, as numbers. base is the configuration that the figure is compared with.
function verdict(text, metric, config, base, limit, x, u) {
    if (!has(config, metric) || !has(base, metric))
        return
    u = unit[metric]
    x = median(config, metric) - median(base, metric)
    if (u == "us") {
        x *= 1000
        u = "ns"
    }
    printf "| %s | %s above %s | %.0f %s | %+.0f %s | %s |\n", text, title[config], title[base], limit, u, x, u,
        (x <= limit ? "within" : "**over**")
}
function verdict_added(text, metric, config, limit, x) {
    metric = "wrapper." metric ".added"
    if (!has(config, metric))
        return
    x = median(config, metric)
    printf "| %s | %s, wrapper alone | %.0f ns | %+.0f ns | %s |\n", text, title[config], limit, x,
        (x <= limit ? "within" : "**over**")
}

# The same with stacks and without.
function verdict_stack(text, metric, limit, x) {
    metric = "wrapper." metric ".added"
    if (!has("stacks", metric) || !has("off", metric))
        return
    x = median("stacks", metric) - median("off", metric)
    printf "| %s | %s above %s, wrapper alone | %.0f ns | %+.0f ns | %s |\n", text,
        title["stacks"], title["off"], limit, x, (x <= limit ? "within" : "**over**")
}

function verdicts_of(metric, text, limit) {
    verdict(text, metric, "off", "bare", limit)
    verdict_added(text, metric, "off", limit)
}

END {
    n_configs = split(configs, list_of_configs, " ")
    title["bare"] = "bare"
    title["asleep"] = "xferspy, asleep"
    title["off"] = "xferspy without CUPTI"
    title["stacks"] = "xferspy without CUPTI, with stacks"
    title["copies"] = "xferspy with CUPTI, kernels off"
    title["kernels"] = "xferspy with CUPTI and kernels"
    title["auto"] = "xferspy as it comes"
    title["all"] = "xferspy, all contents"
    title["cupti-copies"] = "CUPTI alone, copies"
    title["cupti-kernels"] = "CUPTI alone, copies and kernels"
    title["cupti-all"] = "CUPTI alone, all that xferspy asks of it"
    title["nsys"] = "`nsys profile -t cuda`"

    print "\n### Calls"
    print "\nHost time of a call; in brackets the difference to bare. Differences below a tenth are the machine's noise."
    header("call", "bare|bare, least-most|" titles(1))
    compare_row("cudaMemcpyAsync H2D, 4 KiB pinned", "h2d_4k_pinned_async")
    compare_row("cudaMemcpy H2D, 4 KiB pageable", "h2d_4k_pageable")
    compare_row("cudaMemcpy D2H, 4 B pageable", "d2h_4b_pageable")
    compare_row("empty kernel launch", "launch_empty")
    compare_row("cudaMallocAsync + cudaFreeAsync", "malloc_free_async")
    compare_row("first CUDA call (initialisation)", "first_call")
    compare_row("a process of one CUDA call, from start to end", "process_of_one_call")
    compare_row("2000 x (1 MiB up, 20 launches, 4 B down, sync)", "steps_2000")
    compare_row("8 threads: a step of up, launch, 1/4 down, 1/16 wait", "threads_step")

    print "\n### Copies back to back"
    print "\nTime of a copy, and how many times that of bare it takes; in brackets the difference. \"launch\": a kernel after each copy."
    header("copy", "bare, us" contents_titles())
    n = split("64m 16m 1m 64k 4k", sizes, " ")
    for (i = 1; i <= n; i++) {
        contents_row("upload, pinned, " sizes[i], "h2d_" sizes[i])
        contents_row("upload and launch, " sizes[i], "h2d_" sizes[i] "_launch")
        contents_row("download, pinned, " sizes[i], "d2h_" sizes[i])
    }
    contents_row("blocking upload, pageable, 1m", "h2d_1m_pageable")
    contents_row("blocking upload, pageable, 4k", "h2d_4k_pageable")
    contents_row("blocking download, pageable, 4 bytes", "d2h_4b_pageable")

    print "\n### The wrapper alone"
    print "\nNanoseconds that the wrapper adds to a driver call: calls through it and past it, in turns within one process"
    print "(median, and the least to the most of the repetitions). Bare there is no wrapper: that column is the error."
    header("driver call", "the call, bare|added, bare|" titles(0))
    wrapper_row("cuMemcpyHtoDAsync of 0 bytes", "copy_0b_async")
    wrapper_row("cuMemcpyHtoDAsync of 0 bytes, 30 frames deep", "copy_0b_async_deep")
    wrapper_row("cuLaunchKernel, refused", "launch_refused")
    wrapper_row("cuStreamSynchronize, idle", "sync_idle")
    wrapper_row("cuMemcpyHtoDAsync, 4 KiB pinned", "h2d_4k_pinned_async")
    wrapper_row("cuMemcpyHtoD, 4 KiB pageable", "h2d_4k_pageable")
    wrapper_row("cuMemcpyDtoH, 4 B pageable", "d2h_4b_pageable")
    wrapper_row("cuLaunchKernel, empty kernel", "launch_empty")
    wrapper_row("cuMemAllocAsync + cuMemFreeAsync", "malloc_free_async")
    printf "\n200,000 copies of 0 bytes in a row, more than the spool holds, ns a call:"
    for (i = 1; i <= n_configs; i++) {
        c = list_of_configs[i]
        if (is_ours(c) || c == "bare")
            printf "%s %s %s", (i > 1 ? ";" : ""), title[c], number(median(c, "wrapper.copy_0b_async.sustained"), "ns")
    }
    print "."

    if (has("bare", "arguments.no_pointers")) {
        print "\n### The arguments of a launch alone"
        print "\nNanoseconds that looking at a launch's arguments takes, measured with a stand-in for the driver. One function"
        print "and allocations of 4 MiB unless said."
        header("parameters", "a launch|least-most")
        arguments_row("no pointers", "no_pointers")
        arguments_row("4 pointers", "4_pointers")
        arguments_row("4 pointers, allocations of 4 KiB", "4_pointers_small")
        arguments_row("8 pointers", "8_pointers")
        arguments_row("32 pointers", "32_pointers")
        arguments_row("4 pointers, 64 functions in turn", "4_pointers_64_functions")
    }

    print "\n### Host memory, 8 threads"
    header("of /proc/self/status", "bare|bare, least-most|" titles(1))
    compare_row("VmHWM", "memory.VmHWM")
    compare_row("VmRSS", "memory.VmRSS")
    compare_row("RssAnon", "memory.RssAnon")
    compare_row("RssFile", "memory.RssFile")
    compare_row("RssShmem", "memory.RssShmem")

    if (has("off", "bench_threads:cost.events")) {
        print "\n### What the trace says of its own cost, 8 threads"
        header("of meta", titles(0))
        cost_row("events", "bench_threads:cost.events")
        cost_row("records of CUPTI", "bench_threads:cost.records")
        cost_row("start of capture", "bench_threads:cost.start_ns")
        cost_row("start of CUPTI", "bench_threads:cost.cupti_start_ns")
        cost_row("end of capture", "bench_threads:cost.close_ns")
        cost_row("CPU time of the drain thread", "bench_threads:cost.drain_cpu_ns")
        cost_row("spool", "bench_threads:cost.spool_bytes")
        cost_row("waits for the spool", "bench_threads:cost.spool_stalls")
        cost_row("waited for the spool", "bench_threads:cost.spool_stall_ns")
        cost_row("waits for the spool in bench_calls", "bench_calls:cost.spool_stalls")
        cost_row("waits for the spool in bench_wrappers", "bench_wrappers:cost.spool_stalls")
        cost_row("records that CUPTI dropped", "bench_threads:cupti.dropped_records")
    }

    print "\n### Against what was expected"
    print "\n| what | compared | at most | measured | |\n|---|---|---:|---:|---|"
    verdicts_of("h2d_4k_pinned_async", "copy, 4 KiB pinned up, async", 150)
    verdicts_of("h2d_4k_pageable", "copy, 4 KiB pageable up", 150)
    verdicts_of("d2h_4b_pageable", "copy, 4 B pageable down", 150)
    verdicts_of("launch_empty", "launch", 50)
    verdict_stack("stack of 30 native frames", "copy_0b_async_deep", 1000)
    n = split("h2d_4k_pinned_async h2d_4k_pageable d2h_4b_pageable", copies, " ")
    for (i = 1; i <= n; i++) {
        verdict("copy (" copies[i] ")", copies[i], "copies", "cupti-copies", 150)
        verdict("copy (" copies[i] ")", copies[i], "kernels", "cupti-kernels", 150)
        verdict("copy (" copies[i] ")", copies[i], "kernels", "cupti-all", 150)
        verdict_added("copy (" copies[i] ")", copies[i], "kernels", 150)
    }
    verdict("launch", "launch_empty", "kernels", "cupti-kernels", 150)
    n = split("64m 16m 1m", sizes, " ")
    for (i = 1; i <= n; i++) {
        ratio_verdict("upload, pinned, " sizes[i], "h2d_" sizes[i], "all", sizes[i] == "1m" ? 1.3 : 1.05)
        ratio_verdict("download, pinned, " sizes[i], "d2h_" sizes[i], "all", sizes[i] == "1m" ? 1.3 : 1.05)
    }
    verdict("blocking upload, 4 KiB pageable", "contents.h2d_4k_pageable", "auto", "kernels", 1000)
    verdict("initialisation", "first_call", "off", "bare", 30)
    verdict("initialisation", "first_call", "kernels", "bare", 30)
    verdict("initialisation", "first_call", "kernels", "cupti-all", 30)
    verdict("host memory, VmHWM", "memory.VmHWM", "off", "bare", 32)
    verdict("host memory, VmHWM", "memory.VmHWM", "copies", "cupti-copies", 32)
    verdict("host memory, VmHWM", "memory.VmHWM", "kernels", "cupti-all", 32)
}
