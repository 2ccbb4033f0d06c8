# Sourced by the tests of jobs: four ranks on two hosts, of findings.sql with its call sites. Rank 1's uploads of the
# weights take 0.3 ms less each; rank 3 uploads other weights in every step, so that nothing is found of them there, and
# runs longer.
make_ranks() { # make_ranks FOLDER
    mkdir -p "$1"
    for rank in 0 1 2 3; do
        {
            echo "INSERT OR REPLACE INTO meta VALUES ('rank',$rank),('world_size',4),('local_rank',$((rank % 2)));"
            echo "UPDATE meta SET value = $((5000 + rank)) WHERE key = 'pid';"
            echo "UPDATE meta SET value = 'node0$((rank / 2))' WHERE key = 'host';"
            echo "UPDATE meta SET value = value + ${rank}000000 WHERE key = 'start_unix_ns';"
            echo "UPDATE device SET pci_bus_id = '0000:0$((rank % 2)):00.0', id = 0;"
            case $rank in
            1) echo "UPDATE device_copy SET end_ns = end_ns - 300000 WHERE bytes = 8388608;" ;;
            3) echo \
                "UPDATE fingerprint SET content_low = id, before_low = NULL, before_high = NULL, changed_leaves = NULL WHERE id < 2000;"
               echo "UPDATE meta SET value = 150000000 WHERE key = 'duration_ns';" ;;
            esac
        } >"$1/rank$rank.sql"
        make_trace "$1/app.$rank.db" "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" "$1/rank$rank.sql"
        rm "$1/rank$rank.sql"
    done
}
