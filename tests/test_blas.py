"""One BLAS thread for small matrices, and afterwards as many as before."""

import subprocess
import sys
import threading

from threadpoolctl import threadpool_info, threadpool_limits

from pwcstats._kernels.blas import SMALL, threads_for


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_small_matrices_get_one_thread_and_large_ones_what_there_is():
    with threadpool_limits(2, user_api="blas"):
        with threads_for(SMALL):
            assert blas_threads() == {1}
            with threads_for(10):
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == {2}
        with threads_for(SMALL + 1):
            assert blas_threads() == {2}


def test_other_threads_leave_the_number_alone():
    seen = []

    def other():
        with threads_for(10):
            seen.append(blas_threads())

    with threadpool_limits(2, user_api="blas"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert seen == [{2}]
        assert blas_threads() == {2}


def test_libraries_that_are_loaded_later_have_one_thread_too():
    """In a fresh process: LightGBM brings an OpenMP of its own."""
    code = (
        "from pwcstats._kernels.blas import one_thread\n"
        "with one_thread(openmp=True): pass\n"
        "import lightgbm\n"
        "from threadpoolctl import threadpool_info\n"
        "with one_thread(openmp=True): print(max(pool['num_threads'] for pool in threadpool_info()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"]
